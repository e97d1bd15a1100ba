// The OpenAPI document as a page on which every call can be tried; nothing is loaded from elsewhere.

const METHODS = ["get", "post", "delete"];
const UNREACHABLE = "The server does not answer.";

function element(tag, text = "", children = []) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.append(...children);
  return made;
}

/** A schema with its references followed. */
function resolved(api, schema) {
  if (!schema?.$ref) return schema ?? {};
  const path = schema.$ref.slice(2).split("/");
  return path.reduce((found, part) => found[part], api);
}

/** What a value may be, where it may be of several kinds. */
function kinds(schema) {
  return schema.anyOf ?? schema.oneOf ?? [];
}

function typeText(api, schema) {
  const options = kinds(schema);
  if (options.length) return options.map((option) => typeText(api, option)).join(" or ");
  if (schema.$ref) return typeText(api, resolved(api, schema));
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.prefixItems) return `array of ${schema.prefixItems.length}`;
  if (schema.type === "array") return `array of ${typeText(api, schema.items ?? {})}`;
  return schema.type ?? "any";
}

function limitsText(schema) {
  const options = [schema, ...kinds(schema)];
  const least = options.find((option) => option.minimum !== undefined)?.minimum;
  const most = options.find((option) => option.maximum !== undefined)?.maximum;
  if (least === undefined && most === undefined) return "";
  return `, ${least ?? "..."} to ${most ?? "..."}`;
}

function fieldRow(api, name, schema, isRequired) {
  const notes = [schema, ...kinds(schema)]
    .map((option) => option.description)
    .filter(Boolean);
  const fallback = schema.default === undefined ? "" : JSON.stringify(schema.default);
  return element("tr", "", [
    element("td", "", [element("code", name)]),
    element("td", typeText(api, schema) + limitsText(schema)),
    element("td", isRequired ? "required" : fallback),
    element("td", notes.join("; ")),
  ]);
}

function fieldTable(rows) {
  const heads = ["field", "type", "default", "meaning"].map((name) => element("th", name));
  const head = element("thead", "", [element("tr", "", heads)]);
  return element("table", "", [head, element("tbody", "", rows)]);
}

function bodyRows(api, schema) {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const row = fieldRow(api, name, property, required.includes(name));
    const inner = [property, ...kinds(property)]
      .map((option) => resolved(api, option))
      .find((option) => option.properties);
    if (!inner) return [row];
    const innerRows = Object.entries(inner.properties).map(([innerName, innerSchema]) =>
      fieldRow(api, `${name}.${innerName}`, innerSchema, false),
    );
    return [row, ...innerRows];
  });
}

/** The fields that an example body needs: those that are required and have an example. */
function exampleBody(api, schema) {
  const body = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const found = [property, ...kinds(property)]
      .map((option) => resolved(api, option))
      .find((option) => option.examples)?.examples[0];
    if (found !== undefined) body[name] = found;
  }
  return JSON.stringify(body, null, 1);
}

function exampleQuery(parameters) {
  const pairs = parameters
    .filter((parameter) => parameter.in === "query" && parameter.schema.examples)
    .map((parameter) => `${parameter.name}=${parameter.schema.examples[0]}`);
  return pairs.join("&");
}

/** JSON with line breaks; anything else as it is. */
function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

/** An answer's status and its text. */
async function answerOf(method, path, input) {
  const isPost = method === "post";
  const address = isPost || !input ? path : `${path}?${input}`;
  const options = { method: method.toUpperCase() };
  if (isPost) {
    options.headers = { "Content-Type": "application/json" };
    options.body = input;
  }
  const response = await fetch(address, options);
  return [`Status ${response.status}`, laidOut(await response.text())];
}

function trial(method, path, label, example) {
  const id = `try-${method}${path.replace(/\W/g, "-")}`;
  const input = element("textarea", example);
  input.id = id;
  input.spellcheck = false;
  const name = element("label", label);
  name.htmlFor = id;
  name.hidden = input.hidden = label === "";
  const state = element("p"); // is read aloud, the answer itself when one goes there
  state.setAttribute("role", "status");
  const output = element("pre");
  output.tabIndex = 0;
  output.hidden = true;
  const button = element("button", "Ask");
  button.addEventListener("click", async () => {
    const [status, text] = await answerOf(method, path, input.value).catch(() => [UNREACHABLE, ""]);
    state.textContent = status;
    output.textContent = text;
    output.hidden = text === "";
  });
  return [name, input, button, state, output];
}

function operationSection(api, path, method, operation) {
  const section = element("section", "", [
    element("h2", `${method.toUpperCase()} ${path}`),
    element("p", operation.description ?? ""),
  ]);
  const parameters = operation.parameters ?? [];
  const content = operation.requestBody?.content?.["application/json"];
  const schema = content && resolved(api, content.schema);
  const rows = [
    ...parameters.map((parameter) =>
      fieldRow(api, parameter.name, parameter.schema, parameter.required),
    ),
    ...(schema ? bodyRows(api, schema) : []),
  ];
  if (rows.length) section.append(fieldTable(rows));
  if (path.includes("{")) return section;
  const example = schema ? exampleBody(api, schema) : exampleQuery(parameters);
  section.append(...trial(method, path, schema ? "Body" : parameters.length ? "Query" : "", example));
  return section;
}

async function show() {
  const api = await (await fetch("/openapi.json")).json();
  document.getElementById("description").textContent = api.info.description;
  const sections = Object.entries(api.paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method]).map((method) =>
      operationSection(api, path, method, operations[method]),
    ),
  );
  document.getElementById("operations").replaceChildren(...sections);
  state.textContent = "";
}

const state = document.getElementById("state");
show().catch(() => {
  state.textContent = UNREACHABLE;
});
