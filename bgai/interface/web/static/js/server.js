// The calls of the page's server, one at a time and in order, so that no click overtakes another.

let last = Promise.resolve();

/** What the server refuses, in its own words. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answerOf(path, body) {
  const options =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await fetch(path, options);
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const answer = isJson ? await response.json() : await response.text();
  if (!response.ok) throw new Refusal(response.status, answer.message ?? String(answer));
  return answer;
}

/** GET, or POST where there is a body. */
export function call(path, body) {
  const answer = last.then(() => answerOf(path, body));
  last = answer.catch(() => {});
  return answer;
}
