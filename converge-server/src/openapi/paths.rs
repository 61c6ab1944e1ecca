//! The paths of the API.

use converge_controller::{Scope, Type};
use serde_json::{Map, Value, json};

use super::common::{ERROR, STATUS};
use super::fields::reference;

/// Returns the paths that every server has, whatever its types.
pub(super) fn common_paths() -> Map<String, Value> {
    let get = |id: &str, summary: &str, media_type: &str| {
        let mut content = Map::new();
        content.insert(media_type.to_owned(), json!({}));
        let responses =
            json!({ "200": { "description": summary, "content": content }, "default": refused() });
        json!({ "get": { "operationId": id, "summary": summary, "responses": responses } })
    };
    let json = "application/json";
    let mut graph = get("graph", "Which types are reconciled by watching which others.", "text/plain");
    let formats = json!({ "type": "string", "enum": ["mermaid", "dot"] });
    graph["get"]["parameters"] = json!([query("format", "The language of the drawing.", &formats)]);
    let summary = "The parts of a module, their dependencies, and the mistakes in its text.";
    let mut module = get("module_graph", summary, json);
    module["get"]["parameters"] =
        [path("name", "What the module is called.")].into_iter().chain(tenancy(Scope::Namespace)).collect();
    let summary = "The value of a secret, for a node with its certificate, of which a module names it.";
    let mut secret = get("open_secret", summary, json);
    secret["get"]["parameters"] =
        [path("name", "What the secret is called.")].into_iter().chain(tenancy(Scope::Namespace)).collect();
    let text = json!({ "type": "string" });
    let labels = json!({ "type": "object", "additionalProperties": text });
    let join = post(
        "join",
        "A node joins, with a token for that as its bearer, and gets a certificate.",
        &json!({ "type": "object", "required": ["node", "public_key"], "additionalProperties": false,
            "properties": { "node": text, "labels": labels, "public_key": text } }),
    );
    let renew = post(
        "renew",
        "A node gets the successor of the certificate that it asks with.",
        &json!({ "type": "object", "required": ["public_key"], "additionalProperties": false,
            "properties": { "public_key": text } }),
    );
    [
        ("/v1/join", join),
        ("/v1/join/renew", renew),
        ("/v1/health", get("health", "The server is alive.", json)),
        ("/v1/ready", get("ready", "Whether the server takes requests.", json)),
        ("/v1/controllers", get("controllers", "What its controllers do.", json)),
        ("/v1/controllers/graph", graph),
        ("/v1/modules/{name}/graph", module),
        ("/v1/node/secrets/{name}", secret),
        ("/v1/openapi.json", get("openapi", "This document.", json)),
        ("/metrics", get("metrics", "OpenMetrics.", "application/openmetrics-text")),
    ]
    .into_iter()
    .map(|(path, item)| (path.to_owned(), item))
    .collect()
}

/// Returns a request of a node for a certificate.
fn post(id: &str, summary: &str, request: &Value) -> Value {
    let issued = json!({ "type": "object", "required": ["node", "certificate", "seconds"], "properties": {
        "node": { "type": "string" }, "certificate": { "type": "string" }, "seconds": { "type": "integer" } } });
    let responses = answers("200", "The certificate of the node (PEM), and its lifetime.", Some(&issued));
    json!({ "post": { "operationId": id, "summary": summary, "requestBody": body(request), "responses": responses } })
}

pub(super) fn type_paths(resource_type: &Type, scope: Scope, schema: &str) -> [(String, Value); 3] {
    let Type { group, group_version, kind } = resource_type;
    let kind_path = kind.as_str().to_ascii_lowercase();
    let list_path = format!("/v1/resources/{group}/{group_version}/{kind_path}");
    let resource = reference(schema);
    let tags = [resource_type.to_string()];
    let operation = |verb: &str, summary: &str, parameters: &[Value], responses: Value| {
        json!({
            "operationId": format!("{verb}.{resource_type}"), "summary": summary, "tags": tags,
            "parameters": parameters, "responses": responses,
        })
    };
    let tenancy = tenancy(scope);
    let with_tenancy = |extra: Vec<Value>| tenancy.iter().cloned().chain(extra).collect::<Vec<_>>();
    let success = answers("200", "The resource as it is stored.", Some(&resource));

    let flag = json!({ "type": "boolean", "default": false });
    let text = json!({ "type": "string" });
    let consistent = query("consistent", "Reads everything that was committed before.", &flag);
    let uid = query("uid", "The uid of the resource; another one with the same name is not found.", &text);
    let version = query("version", "The version that the resource must have.", &text);
    let dry_run = query("dry_run", "Checks everything, and writes nothing.", &flag);
    let listing = [
        query("name_prefix", "The prefix of the names.", &text),
        query("selector", "A selector of the metadata: team=web, team!=web, team in (web,db).", &text),
        query("watch", "Sends changes as they happen, as server-sent events.", &flag),
    ];

    let list = json!({ "type": "object", "required": ["resources"],
        "properties": { "resources": { "type": "array", "items": resource } } });
    let mut listed = answers("200", "The resources, or changes as they happen.", Some(&list));
    listed["200"]["content"]["text/event-stream"] = json!({ "schema": { "type": "string" } });
    let list_parameters = with_tenancy(listing.into_iter().chain([consistent.clone()]).collect());
    let many = json!({ "get": operation("list", "Lists or watches the resources of the type.", &list_parameters, listed) });

    let mut write = operation(
        "write",
        "Creates the resource, or replaces its data and metadata.",
        &with_tenancy(vec![uid.clone(), version.clone(), dry_run]),
        success.clone(),
    );
    write["requestBody"] = body(&resource);
    let deleted = answers("204", "The resource is deleted or marked for deletion, or did not exist.", None);
    let item = json!({
        "parameters": [path("name", "The name of the resource.")],
        "get": operation("read", "Reads the resource.", &with_tenancy(vec![uid.clone(), consistent]), success.clone()),
        "put": write,
        "delete": operation("delete", "Deletes the resource and, later, the resources that it owns.", &with_tenancy(vec![uid, version.clone()]), deleted),
    });

    let mut needed =
        query("uid", "The uid of the resource; another one with the same name is not found.", &text);
    needed["required"] = true.into();
    let mut report = operation(
        "write_status",
        "Writes the status with a key.",
        &with_tenancy(vec![needed, version]),
        success,
    );
    report["requestBody"] = body(&reference(STATUS));
    let parameters = [path("name", "The name of the resource."), path("key", "The key of the status.")];
    let status = json!({ "parameters": parameters, "put": report });

    [
        (format!("{list_path}/{{name}}/status/{{key}}"), status),
        (format!("{list_path}/{{name}}"), item),
        (list_path, many),
    ]
}

/// Returns the error response of every request.
pub(super) fn refusal() -> Value {
    json!({
        "description": "The request is refused.",
        "content": { "application/json": { "schema": reference(ERROR) } },
    })
}

fn refused() -> Value {
    json!({ "$ref": "#/components/responses/Refusal" })
}

fn answers(status: &str, description: &str, schema: Option<&Value>) -> Value {
    let mut answer = json!({ "description": description });
    if let Some(schema) = schema {
        answer["content"] = json!({ "application/json": { "schema": schema } });
    }
    let mut answers = json!({ "default": refused() });
    answers[status] = answer;
    answers
}

fn body(schema: &Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn query(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

fn path(name: &str, description: &str) -> Value {
    let schema = json!({ "type": "string", "minLength": 1 });
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

/// Returns the tenancy parameters that apply to this scope.
fn tenancy(scope: Scope) -> Vec<Value> {
    let units: &[(&str, &str)] = match scope {
        Scope::Cluster => &[],
        Scope::Partition => &[("partition", "Whose it is; `default` when left out.")],
        Scope::Namespace => &[
            ("partition", "Whose it is; `default` when left out."),
            ("namespace", "Where in the partition; `default` when left out."),
        ],
    };
    let text = json!({ "type": "string", "default": "default" });
    units.iter().map(|(name, description)| query(name, description, &text)).collect()
}
