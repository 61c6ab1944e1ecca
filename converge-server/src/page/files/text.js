// What resources say, in words. Nothing here touches the page.

/** What tells a resource from the others of its type, also as the end of an address. */
export function key({ tenancy = {}, name }) {
  return [tenancy.partition, tenancy.namespace, name].filter(Boolean).map(encodeURIComponent).join("/");
}

/** The name for people; what is in the usual namespace or partition does not say so. */
export function shown({ tenancy = {}, name }) {
  const { partition, namespace } = tenancy;
  const usual = (unit) => !unit || unit === "default";
  const parts = usual(partition) ? (usual(namespace) ? [] : [namespace]) : [partition, namespace];
  return [...parts, name].filter(Boolean).join("/");
}

/** Whether two names mean one resource of a type. */
export function same(one, other) {
  return Boolean(one && other) && key(one) === key(other);
}

/** Orders resources as people read names: `web-2` before `web-10`. */
export function byName(one, other) {
  return order.compare(shown(one.id), shown(other.id));
}

const order = new Intl.Collator("en", { numeric: true });

/** A condition under one key of a resource. */
export function condition(resource, writer, type) {
  return resource?.status?.[writer]?.conditions?.find((found) => found.type === type);
}

/** Whether what a writer said is about the resource as it is now. */
export function upToDate(resource, writer) {
  return resource?.status?.[writer]?.observed_generation === resource?.generation;
}

/** When a writer said something last. */
export function updated(resource, writer) {
  return resource?.status?.[writer]?.updated_at;
}

/** `MODE_ENFORCE` as `enforce`. */
export function plain(value, prefix) {
  return String(value ?? "").replace(prefix, "").replaceAll("_", " ").toLowerCase();
}

/** How long something took or is ago, in the largest unit. */
export function span(seconds) {
  const units = [[86400, "d"], [3600, "h"], [60, "min"]];
  const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Math.max(0, Math.floor(seconds / size))} ${unit}`;
}

/** `1 node`, `2 nodes`. */
export function count(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** The end of a derived name, which tells it from the others of its module. */
export function short(name) {
  return String(name ?? "").split("-").at(-1).slice(0, 8);
}

/** What names begin with that are derived of this one: they may hold no more of it. */
export function beginning(name) {
  return name.slice(0, 20);
}
