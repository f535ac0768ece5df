//! Tasks: the extension of 2026-07-28 and the core form of 2025-11-25, over every transport that carries the version.

use std::time::Duration;

use mcp_runtime::{Limits, prelude::*, protocol::LoggingLevel};
use mcp_test_support::{PATIENCE, Running, STATELESS, Transport, Wire, http, streamable};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";
const RELATED: &str = "io.modelcontextprotocol/related-task";
const CORE: &str = "2025-11-25";

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Runs tasks.
#[mcp_server(name = "tasks", version = "1.0.0")]
mod jobs {
    use super::*;

    /// Is no task
    #[mcp_tool]
    fn plain() -> &'static str {
        "plain"
    }

    /// Is done at once
    #[mcp_tool(task)]
    fn quick() -> &'static str {
        "quick"
    }

    /// Is done soon
    #[mcp_tool(task)]
    async fn soon() -> &'static str {
        tokio::task::yield_now().await;
        "soon"
    }

    /// Runs on the pool
    #[mcp_tool(task, blocking)]
    fn pooled() -> &'static str {
        "pooled"
    }

    /// Is never done
    #[mcp_tool(task)]
    async fn forever() {
        std::future::pending().await
    }

    /// Is never done, and tells when it is left
    #[mcp_tool(task)]
    async fn tells(context: Context) {
        let _telling = Telling;
        tokio::task::yield_now().await;
        context.progress_message(1, 2, "begun").await;
        std::future::pending().await
    }

    /// Is done when nobody wants it
    #[mcp_tool(task)]
    async fn heeds(context: Context) -> &'static str {
        context.cancelled().await;
        "heeded"
    }

    /// Takes too long
    #[mcp_tool(task, timeout = "20ms")]
    async fn late() {
        std::future::pending().await
    }

    /// Fails
    #[mcp_tool(task = "required")]
    async fn fails() -> Result<(), ToolError> {
        tokio::task::yield_now().await;
        Err(ToolError::new("failed"))
    }

    /// Breaks
    #[mcp_tool(task)]
    async fn breaks() -> String {
        tokio::task::yield_now().await;
        panic!("broken")
    }

    /// Asks for a name
    #[mcp_tool(task)]
    async fn asks(context: Context) -> Result<String, ToolError> {
        Ok(greeting(context.elicit::<Name>("Who?").key("name").await?))
    }

    /// Asks for two names
    #[mcp_tool(task)]
    async fn asks_two(context: Context) -> Result<String, ToolError> {
        let (one, other) = tokio::try_join!(
            context.elicit::<Name>("Who?").key("one").into_future(),
            context.elicit::<Name>("And who?").key("other").into_future(),
        )?;
        Ok(format!("{} {}", greeting(one), greeting(other)))
    }

    /// Asks before it becomes a task, and once more then
    #[mcp_tool(task)]
    async fn asks_first(context: Context) -> Result<String, ToolError> {
        let one = context.elicit::<Name>("Who?").key("one").before_task().await?;
        let other = context.elicit::<Name>("And who?").key("other").await?;
        Ok(format!("{} {}", greeting(one), greeting(other)))
    }

    /// Says how far it is
    #[mcp_tool(task)]
    async fn speaks(context: Context) -> &'static str {
        tokio::task::yield_now().await;
        context.progress_message(1, 2, "half of it").await;
        context.log(LoggingLevel::Error, "logged").await;
        context.cancelled().await;
        "spoke"
    }

    fn greeting(answer: Elicited<Name>) -> String {
        format!("Hello, {}!", answer.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name))
    }
}

fn server() -> McpServer {
    jobs::server()
}

/// Woken once for each task that was left.
static LEFT: tokio::sync::Notify = tokio::sync::Notify::const_new();

struct Telling;

impl Drop for Telling {
    fn drop(&mut self) {
        LEFT.notify_one();
    }
}

/// A client that can deal with tasks and with questions.
struct Case {
    wire: Wire,
    is_core: bool,
    name: String,
}

async fn everywhere(case: impl AsyncFn(&mut Case)) {
    for transport in Transport::ALL {
        for version in transport.versions().filter(|version| [CORE, STATELESS].contains(version)) {
            let running = Running::start(transport, server).await;
            case(&mut Case::connect(&running, transport, version).await).await;
        }
    }
}

impl Case {
    async fn connect(running: &Running, transport: Transport, version: &str) -> Self {
        let capabilities = if version == CORE {
            json!({"elicitation": {}})
        } else {
            json!({"elicitation": {}, "extensions": {EXTENSION: {}}})
        };
        let wire = running.connect_offering(version, capabilities).await;
        Self { wire, is_core: version == CORE, name: format!("{transport:?} at {version}") }
    }

    /// Calls a tool, asking for a task where that is asked for.
    async fn begin(&mut self, tool: &str) -> Value {
        let mut params = json!({"name": tool, "arguments": {}});
        if self.is_core {
            params["task"] = json!({});
        }
        self.wire.request("tools/call", params).await
    }

    /// Makes a task; its id.
    async fn task(&mut self, tool: &str) -> String {
        let mut answer = self.begin(tool).await;
        let task = if self.is_core { answer["result"]["task"].take() } else { answer["result"].take() };
        assert_eq!(task["status"], "working", "{}: {tool}: {answer}", self.name);
        task["taskId"].as_str().expect("an id").to_owned()
    }

    async fn get(&mut self, id: &str) -> Value {
        self.wire.result("tasks/get", json!({"taskId": id})).await
    }

    /// The task, once it is so.
    async fn until(&mut self, id: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..2000 {
            let task = self.get(id).await;
            if is_so(&task) {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        panic!("{}: in time", self.name)
    }

    async fn settled(&mut self, id: &str) -> Value {
        self.until(id, |task| ["completed", "failed", "cancelled"].iter().any(|status| task["status"] == *status)).await
    }

    /// The task, once it asks something.
    async fn asking(&mut self, id: &str) -> Value {
        self.until(id, |task| task["status"] == "input_required").await
    }

    /// What came of a task: its result or its error.
    async fn outcome(&mut self, id: &str) -> Value {
        if !self.is_core {
            let mut task = self.settled(id).await;
            return task["result"].take();
        }
        let mut answer = self.wire.request("tasks/result", json!({"taskId": id})).await;
        let mut result = answer["result"].take();
        let meta = result["_meta"].take();
        assert_eq!(meta[RELATED], json!({"taskId": id}), "{}: {answer}", self.name);
        result
    }
}

fn accepted(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

#[tokio::test]
async fn a_server_says_what_it_can_do_with_tasks() {
    for transport in Transport::ALL {
        for version in transport.versions() {
            let running = Running::start(transport, server).await;
            let mut wire = running.connect().await;
            let (mut capabilities, tools) = if version == STATELESS {
                wire = running.connect_as(version).await;
                (wire.result("server/discover", json!({})).await["capabilities"].take(), 14)
            } else {
                let mut answer = wire.initialize(version).await;
                (answer["result"]["capabilities"].take(), if version == CORE { 14 } else { 13 })
            };
            let core = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
            let expected = if version == CORE { core } else { Value::Null };
            assert_eq!(capabilities["tasks"].take(), expected, "{transport:?} at {version}");
            let expected = if version == STATELESS { json!({EXTENSION: {}}) } else { Value::Null };
            assert_eq!(capabilities["extensions"].take(), expected, "{transport:?} at {version}");
            let listed = wire.result("tools/list", json!({})).await;
            let listed = listed["tools"].as_array().unwrap();
            // What demands a task is not shown where there are none.
            assert_eq!(listed.len(), tools, "{transport:?} at {version}");
            for (tool, support) in [("plain", Value::Null), ("soon", json!("optional")), ("fails", json!("required"))] {
                let Some(tool) = listed.iter().find(|listed| listed["name"] == tool) else { continue };
                let expected = if version == CORE { support } else { Value::Null };
                assert_eq!(tool["execution"]["taskSupport"], expected, "{transport:?} at {version}: {tool}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_goes_on_as_a_task_and_its_result_is_kept() {
    everywhere(async |case| {
        for (tool, text) in [("soon", "soon"), ("pooled", "pooled")] {
            // The pool may well be done at once, and then there is no need for a task that nobody asked for.
            if tool == "pooled" && !case.is_core {
                continue;
            }
            let id = case.task(tool).await;
            assert_eq!(id.len(), 32, "{}", case.name);
            for _ in 0..2 {
                assert_eq!(case.outcome(&id).await["content"][0]["text"], text, "{}", case.name);
            }
            let task = case.settled(&id).await;
            assert_eq!(task["status"], "completed", "{}: {task}", case.name);
            let ttl = if case.is_core { "ttl" } else { "ttlMs" };
            assert_eq!(task[ttl], 3_600_000, "{}: {task}", case.name);
            assert_eq!(task["_meta"][RELATED], Value::Null, "{}", case.name);
        }
        let id = case.task("forever").await;
        assert_eq!(case.get(&id).await["status"], "working", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_done_at_once_is_a_task_only_where_one_was_asked_for() {
    everywhere(async |case| {
        if case.is_core {
            let id = case.task("quick").await;
            assert_eq!(case.outcome(&id).await["content"][0]["text"], "quick", "{}", case.name);
        } else {
            assert_eq!(case.wire.call("quick", json!({})).await["content"][0]["text"], "quick", "{}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn failures_have_their_status() {
    everywhere(async |case| {
        let id = case.task("fails").await;
        let task = case.settled(&id).await;
        assert_eq!(task["status"], if case.is_core { "failed" } else { "completed" }, "{}", case.name);
        let result = case.outcome(&id).await;
        assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(true), &json!("failed")));
        for (tool, message) in [("breaks", "the handler failed"), ("late", "the call took too long")] {
            let id = case.task(tool).await;
            let mut task = case.settled(&id).await;
            assert_eq!((&task["status"], &task["statusMessage"]), (&json!("failed"), &json!(message)), "{}", case.name);
            let error = if case.is_core {
                case.wire.refusal("tasks/result", json!({"taskId": id})).await
            } else {
                task["error"].take()
            };
            assert_eq!(error, json!({"code": -32603, "message": message}), "{}: {tool}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn a_task_can_be_cancelled() {
    everywhere(async |case| {
        for tool in ["forever", "heeds", "asks"] {
            let id = case.task(tool).await;
            let acknowledged = case.wire.result("tasks/cancel", json!({"taskId": id})).await;
            let expected = if case.is_core { json!("cancelled") } else { Value::Null };
            assert_eq!(acknowledged["status"], expected, "{}: {acknowledged}", case.name);
            let task = case.settled(&id).await;
            assert_eq!(task["status"], "cancelled", "{}", case.name);
            assert!(task.get("result").is_none() && task.get("inputRequests").is_none(), "{}: {task}", case.name);
            if case.is_core {
                assert_eq!(case.wire.refusal("tasks/cancel", json!({"taskId": id})).await["code"], -32602);
                assert_eq!(case.wire.refusal("tasks/result", json!({"taskId": id})).await["code"], -32603);
            } else {
                assert_eq!(case.wire.result("tasks/cancel", json!({"taskId": id})).await, json!({}));
            }
        }
        // Whoever waits for a result hears of it, too.
        if case.is_core {
            let id = case.task("forever").await;
            let waiting = case.wire.start("tasks/result", json!({"taskId": id})).await;
            let cancelling = case.wire.start("tasks/cancel", json!({"taskId": id})).await;
            let mut answers = [case.wire.receive().await, case.wire.receive().await];
            answers.sort_by_key(|answer| answer["id"].as_i64());
            assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&json!(waiting), &json!(-32603)));
            assert_eq!((&answers[1]["id"], &answers[1]["result"]["status"]), (&json!(cancelling), &json!("cancelled")));
        }
    })
    .await;
}

#[tokio::test]
async fn questions_of_a_task_are_answered_by_updates() {
    everywhere(async |case| {
        if case.is_core {
            return;
        }
        let id = case.task("asks_two").await;
        let task = case.asking(&id).await;
        let open: Vec<_> = task["inputRequests"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(open, ["one", "other"], "{}", case.name);
        assert_eq!(task["inputRequests"]["one"]["params"]["message"], "Who?", "{}", case.name);
        let responses = json!({"other": accepted("Eve"), "stranger": accepted("x")});
        let update = json!({"taskId": id, "inputResponses": responses});
        assert_eq!(case.wire.result("tasks/update", update.clone()).await, json!({}), "{}", case.name);
        let task = case.get(&id).await;
        assert_eq!(task["status"], "input_required", "{}", case.name);
        let open: Vec<_> = task["inputRequests"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(open, ["one"], "{}", case.name);
        // Answered already.
        case.wire.result("tasks/update", update).await;
        // What does not fit is asked again, under a key that was never there.
        let unfit = json!({"one": {"action": "accept", "content": {"name": 5}}});
        case.wire.result("tasks/update", json!({"taskId": id, "inputResponses": unfit})).await;
        let task = case.asking(&id).await;
        let key = task["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        assert!(!["one", "other"].contains(&key.as_str()), "{}: {key}", case.name);
        let update = json!({"taskId": id, "inputResponses": {key: accepted("Ada")}});
        case.wire.result("tasks/update", update).await;
        let result = case.outcome(&id).await;
        assert_eq!(result["content"][0]["text"], "Hello, Ada! Hello, Eve!", "{}", case.name);
        let nothing = case.wire.refusal("tasks/update", json!({"taskId": id})).await;
        assert_eq!(nothing["code"], -32602, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn questions_of_a_task_go_to_whoever_waits_for_its_result() {
    everywhere(async |case| {
        if !case.is_core {
            return;
        }
        let id = case.task("asks").await;
        assert_eq!(case.asking(&id).await["status"], "input_required", "{}", case.name);
        // Nobody hears the question that was withdrawn with its reader; the next reader hears it anew.
        for times in 0..2 {
            let waiting = case.wire.start("tasks/result", json!({"taskId": id})).await;
            let question = case.wire.receive().await;
            assert_eq!(question["method"], "elicitation/create", "{}: {question}", case.name);
            assert_eq!(question["params"]["_meta"][RELATED], json!({"taskId": id}), "{}", case.name);
            if times == 0 {
                case.wire.cancel(&json!(waiting)).await;
                let withdrawn = case.wire.receive().await;
                assert_eq!(withdrawn["method"], "notifications/cancelled", "{}: {withdrawn}", case.name);
                assert_eq!(withdrawn["params"]["requestId"], question["id"], "{}", case.name);
                continue;
            }
            let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": accepted("Ada")});
            case.wire.send(&answer).await;
            let answer = case.wire.answer(&json!(waiting)).await;
            assert_eq!(answer["result"]["content"][0]["text"], "Hello, Ada!", "{}: {answer}", case.name);
            assert_eq!(answer["result"]["_meta"][RELATED], json!({"taskId": id}), "{}", case.name);
        }
        assert_eq!(case.get(&id).await["status"], "completed", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn of_two_that_wait_for_a_result_the_one_that_stays_is_asked() {
    for transport in [Transport::Memory, Transport::Stdio, Transport::Sse] {
        let running = Running::start(transport, server).await;
        let mut case = Case::connect(&running, transport, CORE).await;
        let id = case.task("asks").await;
        let first = case.wire.start("tasks/result", json!({"taskId": id})).await;
        assert_eq!(case.wire.receive().await["method"], "elicitation/create", "{}", case.name);
        let second = case.wire.start("tasks/result", json!({"taskId": id})).await;
        for method in ["notifications/cancelled", "elicitation/create"] {
            assert_eq!(case.wire.receive().await["method"], method, "{}", case.name);
        }
        case.wire.cancel(&json!(second)).await;
        assert_eq!(case.wire.receive().await["method"], "notifications/cancelled", "{}", case.name);
        let question = case.wire.receive().await;
        assert_eq!(question["method"], "elicitation/create", "{}: {question}", case.name);
        case.wire.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": accepted("Ada")})).await;
        let answer = case.wire.answer(&json!(first)).await;
        assert_eq!(answer["result"]["content"][0]["text"], "Hello, Ada!", "{}: {answer}", case.name);
    }
}

/// A client of 2025-11-25 in a session over HTTP, by hand: its requests are on connections that it can close.
struct Leaving {
    address: std::net::SocketAddr,
    session: String,
    handle: Handle,
    name: String,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.handle.shut_down();
    }
}

impl Leaving {
    /// With one request under way at the most, where its streams can be resumed and where they cannot.
    async fn everywhere(requests: usize, case: impl AsyncFn(&Self)) {
        for resumability in [false, true] {
            let mut limits = Limits::default();
            limits.max_requests_per_session = Some(requests);
            // Whoever does not come back is forgotten soon.
            limits.replay = Some(Duration::from_millis(50));
            let options = json!({"name": "tasks", "version": "1.0.0",
                "transport": {"type": "sse", "options": {"port": 0, "resumability": resumability}}});
            let options: ServerOptions = serde_json::from_value(options).expect("options");
            let bound = server().limits(limits).with_options(options).bind().await.expect("a server that starts");
            let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
            tokio::spawn(bound.serve());
            let name = format!("resumability {resumability}");
            let mut client = Self { address, session: String::new(), handle, name };
            let params = json!({"protocolVersion": CORE, "capabilities": {"elicitation": {}},
                "clientInfo": {"name": "leaving", "version": "1"}});
            let opened = client.open(0, "initialize", &params).await;
            client.session = opened.header("mcp-session-id").expect("a session").to_owned();
            opened.whole().await;
            case(&client).await;
        }
    }

    async fn open(&self, id: i64, method: &str, params: &Value) -> http::OpenAnswer {
        self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
    }

    async fn post(&self, message: &Value) -> http::OpenAnswer {
        let mut headers = vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        if !self.session.is_empty() {
            headers.push(("Mcp-Session-Id", &self.session));
        }
        http::open(self.address, "POST", streamable::PATH, &headers, &message.to_string()).await
    }

    async fn answered(&self, id: i64, method: &str, params: &Value) -> Value {
        serde_json::from_str(&self.open(id, method, params).await.whole().await).expect("JSON")
    }

    /// Makes a task; its id.
    async fn task(&self, id: i64, tool: &str) -> Value {
        let params = json!({"name": tool, "arguments": {}, "task": {}});
        self.answered(id, "tools/call", &params).await["result"]["task"]["taskId"].take()
    }

    /// Calls until it is so that there is a place for calls, or that there is none.
    async fn until_there_is_place(&self, first: i64, place: bool) {
        let call = json!({"name": "plain", "arguments": {}});
        let so = async {
            let mut id = first;
            while self.answered(id, "tools/call", &call).await["error"].is_null() != place {
                id += 1;
            }
        };
        let so = tokio::time::timeout(PATIENCE, so).await;
        so.unwrap_or_else(|_| panic!("{}: a place for calls: never {place}", self.name));
    }
}

/// The next message of a stream.
async fn said(stream: &mut http::OpenAnswer) -> Value {
    loop {
        let event = tokio::time::timeout(PATIENCE, stream.event()).await.expect("in time").expect("an event");
        if !event.data.is_empty() {
            return serde_json::from_str(&event.data).expect("JSON");
        }
    }
}

#[tokio::test]
async fn whoever_goes_while_waiting_for_a_result_keeps_no_place() {
    Leaving::everywhere(1, async |client| {
        // Before anything is said, by either way to go.
        for (round, half) in [(1, false), (2, true)] {
            let task = client.task(1000 * round, "forever").await;
            let result = json!({"jsonrpc": "2.0", "id": 1000 * round + 1, "method": "tasks/result",
                "params": {"taskId": task}});
            let result = result.to_string();
            let mut waiting = TcpStream::connect(client.address).await.expect("a listener");
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
                Accept: application/json, text/event-stream\r\nMcp-Session-Id: {}\r\n\r\n{result}",
                result.len(),
                client.session
            );
            waiting.write_all(request.as_bytes()).await.expect("a server that reads");
            client.until_there_is_place(1000 * round + 2, false).await;
            if half {
                waiting.shutdown().await.expect("an open connection");
            } else {
                waiting.set_zero_linger().expect("an option");
                drop(waiting);
            }
            client.until_there_is_place(1000 * round + 500, true).await;
        }
        // After a question.
        let task = client.task(3000, "asks").await;
        let mut waiting = client.open(3001, "tasks/result", &json!({"taskId": task})).await;
        assert_eq!(said(&mut waiting).await["method"], "elicitation/create", "{}", client.name);
        client.until_there_is_place(3002, false).await;
        drop(waiting);
        client.until_there_is_place(3500, true).await;
    })
    .await;
}

#[tokio::test]
async fn of_two_connections_that_wait_for_a_result_the_one_that_stays_is_asked() {
    Leaving::everywhere(64, async |client| {
        let task = client.task(1, "asks").await;
        let result = json!({"taskId": task});
        let mut first = client.open(2, "tasks/result", &result).await;
        assert_eq!(said(&mut first).await["method"], "elicitation/create", "{}", client.name);
        let mut second = client.open(3, "tasks/result", &result).await;
        assert_eq!(said(&mut second).await["method"], "elicitation/create", "{}", client.name);
        assert_eq!(said(&mut first).await["method"], "notifications/cancelled", "{}", client.name);
        drop(second);
        let question = said(&mut first).await;
        assert_eq!(question["method"], "elicitation/create", "{}: {question}", client.name);
        client.post(&json!({"jsonrpc": "2.0", "id": question["id"], "result": accepted("Ada")})).await;
        let answer = said(&mut first).await;
        assert_eq!(answer["result"]["content"][0]["text"], "Hello, Ada!", "{}: {answer}", client.name);
    })
    .await;
}

#[tokio::test]
async fn whoever_was_asked_and_lost_the_connection_may_answer_yet() {
    Leaving::everywhere(1, async |client| {
        let task = client.task(1, "asks").await;
        let mut waiting = client.open(2, "tasks/result", &json!({"taskId": task})).await;
        let question = said(&mut waiting).await;
        drop(waiting);
        client.until_there_is_place(3, true).await;
        client.post(&json!({"jsonrpc": "2.0", "id": question["id"], "result": accepted("Ada")})).await;
        let answer = client.open(2, "tasks/result", &json!({"taskId": task})).await;
        let answer = if answer.is_stream() {
            said(&mut { answer }).await
        } else {
            serde_json::from_str(&answer.whole().await).expect("JSON")
        };
        assert_eq!(answer["result"]["content"][0]["text"], "Hello, Ada!", "{}: {answer}", client.name);
    })
    .await;
}

#[tokio::test]
async fn a_question_may_come_before_the_task() {
    everywhere(async |case| {
        if case.is_core {
            return;
        }
        let mut asked = case.begin("asks_first").await;
        assert_eq!(asked["result"]["resultType"], "input_required", "{}: {asked}", case.name);
        assert!(asked["result"].get("taskId").is_none(), "{}", case.name);
        let state = asked["result"]["requestState"].take();
        let responses = json!({"one": accepted("Ada")});
        let params = json!({
            "name": "asks_first", "arguments": {}, "inputResponses": responses, "requestState": state,
        });
        let created = case.wire.request("tools/call", params).await;
        assert_eq!(created["result"]["resultType"], "task", "{}: {created}", case.name);
        let id = created["result"]["taskId"].as_str().unwrap().to_owned();
        let task = case.asking(&id).await;
        let open: Vec<_> = task["inputRequests"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(open, ["other"], "{}", case.name);
        let update = json!({"taskId": id, "inputResponses": {"other": accepted("Eve")}});
        case.wire.result("tasks/update", update).await;
        let result = case.outcome(&id).await;
        assert_eq!(result["content"][0]["text"], "Hello, Ada! Hello, Eve!", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn what_a_task_says_is_told_as_its_version_has_it() {
    everywhere(async |case| {
        let mut params = json!({"name": "speaks", "arguments": {}, "_meta": {"progressToken": "p"}});
        if case.is_core {
            params["task"] = json!({});
        }
        let call = case.wire.start("tools/call", params).await;
        let (mut created, mut said) = (Value::Null, Vec::new());
        while created.is_null() || (case.is_core && said.len() < 2) {
            let mut message = case.wire.receive().await;
            if message["id"] == call {
                created = message["result"].take();
            } else {
                said.push(message);
            }
        }
        let created = if case.is_core { created["task"].take() } else { created };
        let id = created["taskId"].as_str().unwrap().to_owned();
        let methods: Vec<_> = said.iter().map(|message| message["method"].as_str().unwrap()).collect();
        let expected = if case.is_core { &["notifications/progress", "notifications/message"][..] } else { &[] };
        assert_eq!(methods, expected, "{}", case.name);
        for message in said {
            assert_eq!(message["params"]["_meta"][RELATED], json!({"taskId": id}), "{}: {message}", case.name);
        }
        let task = case.until(&id, |task| task["statusMessage"].is_string()).await;
        assert_eq!(task["statusMessage"], "half of it", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_is_refused() {
    let unknown = "0123456789abcdef0123456789abcdef";
    everywhere(async |case| {
        let mut methods = vec!["tasks/get", "tasks/cancel"];
        let (there, not_there) = if case.is_core {
            (["tasks/result"], vec!["tasks/update"])
        } else {
            (["tasks/update"], vec!["tasks/result", "tasks/list"])
        };
        methods.extend(there);
        for method in methods {
            for id in [unknown, "", "0", "0123456789ABCDEF0123456789ABCDEF", "+123456789abcdef0123456789abcdef"] {
                let refusal = case.wire.refusal(method, json!({"taskId": id, "inputResponses": {}})).await;
                assert_eq!(refusal["code"], -32602, "{}: {method} {id}", case.name);
            }
            assert_eq!(case.wire.refusal(method, json!({})).await["code"], -32602, "{}: {method}", case.name);
        }
        for method in not_there {
            let refusal = case.wire.refusal(method, json!({"taskId": unknown})).await;
            assert_eq!(refusal["code"], -32601, "{}: {method}", case.name);
        }
        if case.is_core {
            for (tool, task) in [("plain", json!({"task": {}})), ("fails", json!({}))] {
                let mut params = json!({"name": tool});
                params.as_object_mut().unwrap().extend(task.as_object().unwrap().clone());
                assert_eq!(case.wire.refusal("tools/call", params).await["code"], -32601, "{}: {tool}", case.name);
            }
            for task in [json!(5), json!([]), json!({"ttl": "long"}), json!({"ttl": -1})] {
                let refusal = case.wire.refusal("tools/call", json!({"name": "soon", "task": task})).await;
                assert_eq!(refusal["code"], -32602, "{}: {task}", case.name);
            }
            for (asked, granted) in [(json!(60_000), 60_000), (json!(0), 1000), (json!(1e12), 86_400_000)] {
                let params = json!({"name": "soon", "arguments": {}, "task": {"ttl": asked}});
                let created = case.wire.result("tools/call", params).await;
                assert_eq!(created["task"]["ttl"], granted, "{}: {asked}", case.name);
            }
        } else {
            // The wish of the older form is passed over.
            let params = json!({"name": "plain", "arguments": {}, "task": {"ttl": 5}});
            assert_eq!(case.wire.result("tools/call", params).await["content"][0]["text"], "plain", "{}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_without_the_extension_has_no_tasks() {
    for transport in [Transport::Memory, Transport::Stdio, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut wire = running.connect_as(STATELESS).await;
        assert_eq!(wire.call("soon", json!({})).await["content"][0]["text"], "soon", "{transport:?}");
        let required = json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}});
        for (method, params) in [
            ("tools/call", json!({"name": "fails"})),
            ("tasks/get", json!({"taskId": "x"})),
            ("tasks/update", json!({"taskId": "x", "inputResponses": {}})),
            ("tasks/cancel", json!({"taskId": "x"})),
        ] {
            let refusal = wire.refusal(method, params).await;
            assert_eq!((&refusal["code"], &refusal["data"]), (&json!(-32021), &required), "{transport:?}: {method}");
        }
        assert_eq!(wire.refusal("tasks/list", json!({})).await["code"], -32601, "{transport:?}");
    }
}

#[tokio::test]
async fn versions_before_tasks_run_a_call_until_it_is_done() {
    for transport in Transport::ALL {
        for version in transport.versions().filter(|version| *version < CORE) {
            let running = Running::start(transport, server).await;
            let mut wire = running.connect_as(version).await;
            let call = |tool| json!({"name": tool, "task": {}});
            let result = wire.result("tools/call", call("soon")).await;
            assert_eq!(result["content"][0]["text"], "soon", "{transport:?} at {version}");
            assert_eq!(wire.refusal("tools/call", call("fails")).await["code"], -32601, "{transport:?} at {version}");
            assert_eq!(wire.refusal("tasks/list", json!({})).await["code"], -32601, "{transport:?} at {version}");
        }
    }
}

#[tokio::test]
async fn a_session_sees_its_own_tasks_only() {
    for transport in [Transport::Memory, Transport::Sse, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut one = Case::connect(&running, transport, CORE).await;
        let mut other = Case::connect(&running, transport, CORE).await;
        let ids = [one.task("soon").await, one.task("forever").await];
        let listed = one.wire.result("tasks/list", json!({})).await;
        let listed: Vec<_> = listed["tasks"].as_array().unwrap().iter().map(|task| task["taskId"].clone()).collect();
        assert_eq!(listed, ids, "{transport:?}");
        assert_eq!(other.wire.result("tasks/list", json!({})).await, json!({"tasks": []}), "{transport:?}");
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            let refusal = other.wire.refusal(method, json!({"taskId": ids[1]})).await;
            assert_eq!(refusal["code"], -32602, "{transport:?}: {method}");
        }
        assert_eq!(one.get(&ids[1]).await["status"], "working", "{transport:?}");
        let cursor = one.wire.refusal("tasks/list", json!({"cursor": "none of ours"})).await;
        assert_eq!(cursor["code"], -32602, "{transport:?}");
    }
}

#[tokio::test]
async fn a_list_of_tasks_has_pages() {
    let running = Running::start(Transport::Memory, server).await;
    let mut case = Case::connect(&running, Transport::Memory, CORE).await;
    let mut ids = Vec::new();
    for _ in 0..120 {
        ids.push(Value::from(case.task("soon").await));
    }
    let mut listed = Vec::new();
    let mut page = case.wire.result("tasks/list", json!({})).await;
    loop {
        listed.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["taskId"].clone()));
        let Some(cursor) = page.get("nextCursor").cloned() else { break };
        page = case.wire.result("tasks/list", json!({"cursor": cursor})).await;
    }
    assert_eq!(listed, ids);
}

#[tokio::test]
async fn a_task_belongs_to_its_principal() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "guarded",
        "transport": {"type": "sse", "options": {
            "port": 0, "auth": {"type": "apikey", "options": {"keys": ["the-key-of-one", "the-key-of-another"]}},
        }},
    }))
    .expect("options");
    let bound = server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    let serving = tokio::spawn(bound.serve());
    let ask = async |key: &str, method: &str, name: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("X-API-Key", key),
            ("MCP-Protocol-Version", STATELESS),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ];
        let answer = http::request(address, "POST", "/mcp", &headers, &message.to_string()).await;
        (answer.status, serde_json::from_str::<Value>(&answer.body).expect("an answer"))
    };
    let (status, created) = ask("the-key-of-one", "tools/call", "forever", json!({"name": "forever"})).await;
    assert_eq!(status, 200, "{created}");
    let id = created["result"]["taskId"].as_str().expect("a task").to_owned();
    let named = || json!({"taskId": id, "inputResponses": {}});
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let (_, theirs) = ask("the-key-of-another", method, &id, named()).await;
        let unknown = "0123456789abcdef0123456789abcdef";
        let (_, none) =
            ask("the-key-of-another", method, unknown, json!({"taskId": unknown, "inputResponses": {}})).await;
        assert_eq!(theirs["error"]["code"], -32602, "{method}: {theirs}");
        let text = theirs.to_string().replace(&id, unknown);
        assert_eq!(text, none.to_string(), "{method}: another's task is as one that is not there");
    }
    // Every request is on a connection of its own: whoever comes back finds it.
    let (_, own) = ask("the-key-of-one", "tasks/get", &id, named()).await;
    assert_eq!(own["result"]["status"], "working", "{own}");
    let (status, mismatch) = ask("the-key-of-one", "tasks/get", "another", named()).await;
    assert_eq!((status, &mismatch["error"]["code"]), (400, &json!(-32020)));
    handle.shut_down();
    serving.await.expect("no panic").expect("a good end");
}

fn narrow() -> McpServer {
    let mut limits = Limits::default();
    limits.max_tasks = Some(3);
    limits.max_tasks_per_principal = Some(2);
    server().limits(limits)
}

#[tokio::test]
async fn there_are_no_more_tasks_than_may_be() {
    for transport in [Transport::Memory, Transport::Http] {
        let running = Running::start(transport, narrow).await;
        let mut one = Case::connect(&running, transport, CORE).await;
        let mut other = Case::connect(&running, transport, CORE).await;
        for _ in 0..2 {
            one.task("forever").await;
        }
        assert_eq!(one.begin("forever").await["error"]["code"], -32603, "{transport:?}: two of one session");
        let id = other.task("forever").await;
        assert_eq!(other.begin("forever").await["error"]["code"], -32603, "{transport:?}: three in all");
        // One that was cancelled is kept, too.
        other.wire.result("tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(other.begin("forever").await["error"]["code"], -32603, "{transport:?}");
        let mut stateless = Case::connect(&running, transport, STATELESS).await;
        assert_eq!(stateless.begin("fails").await["error"]["code"], -32603, "{transport:?}: it demands a task");
        let done = stateless.begin("soon").await;
        assert_eq!(done["result"]["content"][0]["text"], "soon", "{transport:?}: it does without");
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_is_forgotten_after_its_time() {
    for version in [CORE, STATELESS] {
        let running = Running::start(Transport::Memory, server).await;
        let mut case = Case::connect(&running, Transport::Memory, version).await;
        let (done, cancelled) = (case.task("soon").await, case.task("forever").await);
        case.settled(&done).await;
        case.wire.result("tasks/cancel", json!({"taskId": cancelled})).await;
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        tokio::time::advance(minutes(59)).await;
        for id in [&done, &cancelled] {
            case.get(id).await;
        }
        tokio::time::advance(minutes(2)).await;
        for id in [&done, &cancelled] {
            // The clock of whoever forgets it may ring a little later.
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(case.wire.refusal("tasks/get", json!({"taskId": id})).await["code"], -32602, "{version}");
        }
    }
}

#[tokio::test]
async fn tasks_of_a_session_end_with_it() {
    for transport in [Transport::Sse, Transport::Http] {
        let running = Running::start(transport, one_task).await;
        let mut case = Case::connect(&running, transport, CORE).await;
        case.task("heeds").await;
        assert_eq!(case.begin("heeds").await["error"]["code"], -32603, "{transport:?}: one in all");
        case.wire.end().await;
        let mut next = Case::connect(&running, transport, CORE).await;
        // The end of the other is noticed in its own time.
        let made = async {
            while next.begin("soon").await["result"]["task"].is_null() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, made).await.expect("the place in time");
    }
}

fn one_task() -> McpServer {
    let mut limits = Limits::default();
    limits.max_tasks = Some(1);
    server().limits(limits)
}

#[tokio::test]
async fn whoever_listens_for_a_task_hears_how_it_is() {
    const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";
    for transport in [Transport::Memory, Transport::Stdio, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut case = Case::connect(&running, transport, STATELESS).await;
        let (watched, other) = (case.task("asks").await, case.task("asks").await);
        case.asking(&watched).await;
        case.asking(&other).await;
        let unknown = "0123456789abcdef0123456789abcdef";
        let notifications = json!({"taskIds": [watched, unknown]});
        let listening = case.wire.start("subscriptions/listen", json!({"notifications": notifications})).await;
        let acknowledged = case.wire.receive().await;
        assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [watched]}), "{transport:?}");
        for id in [&other, &watched] {
            let update = json!({"taskId": id, "inputResponses": {"name": accepted("Ada")}});
            case.wire.start("tasks/update", update).await;
        }
        let mut said = Vec::new();
        while said.last().is_none_or(|params: &Value| params["status"] != "completed") {
            let mut message = case.wire.receive().await;
            if message["method"] == "notifications/tasks" {
                said.push(message["params"].take());
            }
        }
        for params in &said {
            assert_eq!(params["taskId"], *watched, "{transport:?}: {params}");
            assert_eq!(params["_meta"][ID_KEY], listening, "{transport:?}: {params}");
        }
        let statuses: Vec<_> = said.iter().map(|params| params["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["working", "completed"], "{transport:?}");
        assert_eq!(said[1]["result"]["content"][0]["text"], "Hello, Ada!", "{transport:?}");

        let mut without = running.connect_as(STATELESS).await;
        let listen = json!({"notifications": {"taskIds": [watched]}});
        assert_eq!(without.refusal("subscriptions/listen", listen).await["code"], -32021, "{transport:?}");
    }
}

#[tokio::test]
async fn a_subscription_is_named_to_the_letter() {
    // More than any integer type of ours holds.
    const ID: &str = "18446744073709551617";
    for transport in [Transport::Memory, Transport::Stdio, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut case = Case::connect(&running, transport, STATELESS).await;
        let watched = case.task("asks").await;
        case.asking(&watched).await;
        let notifications = json!({"taskIds": [watched], "toolsListChanged": true});
        case.wire.start_as(ID, "subscriptions/listen", json!({"notifications": notifications})).await;
        let named = format!(r#""io.modelcontextprotocol/subscriptionId":{ID}"#);
        let acknowledged = case.wire.receive_raw().await;
        assert!(
            acknowledged.contains("acknowledged") && acknowledged.contains(&named),
            "{transport:?}: {acknowledged}"
        );
        let update = json!({"taskId": watched, "inputResponses": {"name": accepted("Ada")}});
        case.wire.start("tasks/update", update).await;
        let mut said = String::new();
        while !said.contains("notifications/tasks") {
            said = case.wire.receive_raw().await;
        }
        assert!(said.contains(&named), "{transport:?}: {said}");
    }
}

#[tokio::test]
async fn tasks_end_with_their_server() {
    for transport in [Transport::Memory, Transport::Stdio] {
        for version in [CORE, STATELESS] {
            let running = Running::start(transport, server).await;
            let mut case = Case::connect(&running, transport, version).await;
            let id = case.task("tells").await;
            case.until(&id, |task| task["statusMessage"] == "begun").await;
            drop((case, running));
            let left = tokio::time::timeout(PATIENCE, LEFT.notified());
            left.await.unwrap_or_else(|_| panic!("{transport:?} at {version}: it still runs"));
        }
    }
}
