//! What the tasks extension adds to 2026-07-28: the standard's own schema has no words for it.

use serde_json::{Map, Value, json};

/// The version that it extends.
pub(super) const VERSION: &str = "2026-07-28";

/// The answer to a call that has become a task.
pub(super) const CREATED: &str = "CreateTaskResult";

/// The answer to `tasks/get`.
const TOLD: &str = "GetTaskResult";

/// What is told of a task by itself.
const ANNOUNCED: &str = "notifications/tasks";
const ANNOUNCEMENT: &str = "TaskNotification";

/// The definitions that a result of that method can be of.
pub(super) fn results_of(method: &str) -> Option<&'static str> {
    match method {
        "tasks/get" => Some(TOLD),
        "tasks/update" | "tasks/cancel" => Some("EmptyResult"),
        _ => None,
    }
}

/// Adds the extension's definitions.
pub(super) fn extend(definitions: &mut Map<String, Value>) {
    let of = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    let task = |statuses: &[&str], members: Value| {
        let mut properties = json!({
            "_meta": of("ResultMetaObject"),
            "resultType": {"type": "string"},
            "taskId": {"type": "string", "minLength": 1},
            "status": {"enum": statuses},
            "statusMessage": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "lastUpdatedAt": {"type": "string", "format": "date-time"},
            "ttlMs": {"type": ["integer", "null"], "minimum": 1},
            "pollIntervalMs": {"type": "integer", "minimum": 1},
        });
        let mut required: Vec<_> =
            ["resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"].map(str::to_owned).into();
        for (name, schema) in members.as_object().expect("members") {
            properties[name] = schema.clone();
            required.push(name.clone());
        }
        json!({"type": "object", "properties": properties, "required": required})
    };
    definitions.insert(CREATED.to_owned(), task(&["working"], json!({})));
    let told = [
        task(&["working", "cancelled"], json!({})),
        task(&["input_required"], json!({"inputRequests": of("InputRequests")})),
        task(&["completed"], json!({"result": of("CallToolResult")})),
        task(&["failed"], json!({"error": of("Error")})),
    ];
    // The same, but that a notification is no result.
    let announced = told.clone().map(|mut task| {
        task["required"].as_array_mut().expect("names").retain(|name| name != "resultType");
        task["properties"].as_object_mut().expect("members").remove("resultType");
        task["properties"]["_meta"] = of("NotificationMetaObject");
        task
    });
    definitions.insert(TOLD.to_owned(), json!({"anyOf": told}));
    let properties = json!({
        "jsonrpc": {"const": "2.0", "type": "string"},
        "method": {"const": ANNOUNCED, "type": "string"},
        "params": {"anyOf": announced},
    });
    let required = ["jsonrpc", "method", "params"];
    let announcement = json!({"type": "object", "properties": properties, "required": required});
    definitions.insert(ANNOUNCEMENT.to_owned(), announcement);
    let choices = definitions["ServerNotification"]["anyOf"].as_array_mut().expect("a union");
    choices.push(of(ANNOUNCEMENT));
    let ids = json!({"type": "array", "items": {"type": "string"}});
    definitions["SubscriptionFilter"]["properties"]["taskIds"] = ids;
}
