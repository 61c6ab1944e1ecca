// What is known of resources, kept up by a watch of the server.

const TYPES = "v1/resources/converge/v1/";
/** How long to wait until a server that was away is asked again, in milliseconds; the last one again and again. */
const PAUSES = [500, 1000, 2000, 5000];
/** A server says something every 15 s, if only that it is there. After so many milliseconds it is away. */
const SILENCE = 45000;

/** How far the clock of the server is ahead of that of the browser, in milliseconds. */
let ahead = 0;

/** The time, by the clock of the server. */
export function now() {
  return Date.now() + ahead;
}

/** The resources of a type. */
export class Live {
  constructor(path, token, changed) {
    Object.assign(this, { path, token, changed });
    /** By key. */
    this.resources = new Map();
    /** Whether all that there are have been told, at some time. */
    this.whole = false;
    /** `connecting`, `live`, `away`, `refused` or `unauthenticated`. */
    this.state = "connecting";
    this.problem = "";
    this.begin();
  }

  /** Begins to ask, also once more after `close`. */
  begin() {
    this.stopped?.abort();
    this.stopped = new AbortController();
    this.run(this.stopped.signal);
  }

  /** Asks no more. What is known stays. */
  close() {
    this.stopped.abort();
  }

  all() {
    return [...this.resources.values()];
  }

  async run(stopped) {
    for (let tries = 0; !stopped.aborted; tries += 1) {
      let problem = "the server closed the connection";
      try {
        await this.listen(stopped, () => (tries = 0));
      } catch (error) {
        if (stopped.aborted) return;
        if (error instanceof Refused && error.lasting) return this.be(error.state, error.message);
        problem = error instanceof Refused ? error.message : "the server does not answer";
      }
      if (stopped.aborted) return;
      this.be("away", problem);
      await pause(PAUSES[Math.min(tries, PAUSES.length - 1)], stopped);
    }
  }

  be(state, problem = "") {
    Object.assign(this, { state, problem });
    this.changed();
  }

  /** Asks, and takes what is told until the connection ends. */
  async listen(stopped, told) {
    const connection = new AbortController();
    const signal = AbortSignal.any([connection.signal, stopped]);
    let alarm = setTimeout(() => connection.abort(), SILENCE);
    const heard = () => {
      clearTimeout(alarm);
      alarm = setTimeout(() => connection.abort(), SILENCE);
    };
    try {
      const answer = await request(TYPES + this.path, this.token, signal);
      // What is there is told first. Until that is whole, what was known before stays.
      const known = new Map();
      if (!this.whole) this.resources = known;
      for await (const { event, data } of events(answer.body, heard)) {
        if (signal.aborted) return;
        if (event === "error") throw new Refused(data.error);
        this.take(known, event, data, told);
      }
    } finally {
      clearTimeout(alarm);
      connection.abort();
    }
  }

  take(known, event, data, told) {
    if (event === "upsert") known.set(data.id.uid, data);
    if (event === "delete") known.delete(data.id.uid);
    if (event === "end_of_snapshot") {
      Object.assign(this, { resources: known, whole: true });
      told();
      this.be("live");
    } else if (known === this.resources) {
      this.changed();
    }
  }
}

/** Asks once, for JSON. */
export async function ask(path, token) {
  return (await request(path, token)).json();
}

async function request(path, token, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, { headers, signal, cache: "no-store", credentials: "omit", redirect: "error" });
  const date = Date.parse(answer.headers.get("Date") ?? "");
  if (!Number.isNaN(date)) ahead = date - Date.now();
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** The server has said why it does not tell. */
export class Refused extends Error {
  constructor({ code, message } = {}) {
    super(message ?? "the server refused the request without a reason");
    this.state = code === "unauthenticated" ? code : "refused";
    // Anything else may pass.
    this.lasting = ["unauthenticated", "permission_denied", "misdirected", "invalid_argument"].includes(code);
  }
}

async function refusal(answer) {
  try {
    return new Refused((await answer.json()).error);
  } catch {
    return new Refused({ message: `the server answered with status ${answer.status}` });
  }
}

/** Server-sent events of a body, as they come. */
export async function* events(body, heard = () => {}) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = "";
  let data = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event, data: JSON.parse(data.join("\n")) };
          event = "";
          data = [];
        } else if (line.startsWith("event: ")) {
          event = line.slice("event: ".length);
        } else if (line.startsWith("data: ")) {
          data.push(line.slice("data: ".length));
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const alarm = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(alarm);
      resolve();
    }, { once: true });
  });
}
