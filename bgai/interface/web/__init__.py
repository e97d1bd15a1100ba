"""The web page and the JSON API, on one server. The extra `web` installs what it needs."""
