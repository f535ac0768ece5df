//! Changes: who is told, in what words, and that nobody else is.

use std::net::SocketAddr;

use mcp_runtime::{DynamicTool, Limits, SseOptions, TransportOptions, prelude::*};
use mcp_test_support::{PATIENCE, Running, STATELESS, Transport, Wire, client, http, streamable};
use serde_json::{Value, json};

use crate::{Case, everywhere_on};

const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// A server that changes when it is told to.
#[mcp_server(name = "changing", version = "1.0.0")]
mod changing {
    use super::*;

    /// Says that something has changed
    #[mcp_tool]
    pub(super) fn announce(what: String, times: Option<usize>, handle: Handle) {
        for time in 0..times.unwrap_or(1) {
            match what.as_str() {
                "tools" => handle.tools_changed(),
                "prompts" => handle.prompts_changed(),
                "resources" => handle.resources_changed(),
                "many" => handle.resource_updated(format!("test://many/{time}")),
                uri => handle.resource_updated(uri),
            }
        }
    }

    /// Adds a tool
    #[mcp_tool]
    fn grow(name: String, handle: Handle) -> Result<(), Error> {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        handle.add_dynamic_tool(DynamicTool::new(name, "Doubles a number", schema, async |arguments: Value, _| {
            arguments["n"].as_i64().map(|n| n * 2).ok_or("`n` must be an integer")
        }))
    }

    /// Adds a function of the program
    #[mcp_tool]
    fn grow_lone(handle: Handle) -> Result<(), Error> {
        handle.add_tool::<lone>()
    }

    /// Removes a tool
    #[mcp_tool]
    async fn shrink(name: String, context: Context) -> Result<(), Error> {
        context.handle().remove_tool(&name)
    }

    /// Waits for ever
    #[mcp_tool]
    async fn hang() -> String {
        std::future::pending().await
    }

    /// Something to watch
    #[mcp_resource(uri = "test://fixed")]
    fn fixed() -> &'static str {
        "fixed"
    }

    /// Something to say
    #[mcp_prompt]
    fn say() -> &'static str {
        "say"
    }
}

/// Says its name
#[mcp_tool]
fn lone() -> &'static str {
    "lone"
}

fn server() -> McpServer {
    changing::server()
}

/// Asks for changes, where they have to be asked for, and for those of one resource; gives the subscription's id.
async fn ask(case: &mut Case, notifications: &Value) -> Option<Value> {
    if !case.is_stateless() {
        for uri in notifications["resourceSubscriptions"].as_array().into_iter().flatten() {
            assert_eq!(case.wire.result("resources/subscribe", json!({"uri": uri})).await, json!({}), "{}", case.name);
        }
        return None;
    }
    let id = json!(case.wire.start("subscriptions/listen", json!({"notifications": notifications})).await);
    let expected = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {ID_KEY: id}, "notifications": notifications},
    });
    assert_eq!(case.wire.receive().await, expected, "{}", case.name);
    Some(id)
}

fn all() -> Value {
    let uris = ["test://fixed"];
    json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": uris,
    })
}

/// The notification as this version has it.
fn notification(what: &str, uri: Option<&str>, subscription: Option<&Value>) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": format!("notifications/{what}")});
    if let Some(uri) = uri {
        message["params"]["uri"] = uri.into();
    }
    if let Some(id) = subscription {
        message["params"]["_meta"] = json!({ID_KEY: id});
    }
    message
}

/// Calls a tool; gives the notifications up to the last of `count`, and the tool's text. The answer may come first.
async fn told(wire: &mut Wire, tool: &str, arguments: Value, count: usize) -> (Vec<Value>, Value) {
    let id = json!(wire.start("tools/call", json!({"name": tool, "arguments": arguments})).await);
    let (mut notifications, mut text) = (Vec::new(), None);
    while notifications.len() < count || text.is_none() {
        let message = wire.receive().await;
        if message.get("method").is_some() {
            notifications.push(message);
        } else {
            assert_eq!(message["id"], id, "{message}");
            text = Some(message["result"]["content"][0]["text"].clone());
        }
    }
    (notifications, text.expect("an answer"))
}

async fn announce(wire: &mut Wire, what: &str, count: usize) -> Vec<Value> {
    told(wire, "announce", json!({"what": what}), count).await.0
}

#[tokio::test]
async fn whoever_asked_is_told_in_the_words_of_the_version() {
    everywhere_on(server, async |case, _| {
        let id = ask(case, &all()).await;
        for (what, method, uri) in [
            ("tools", "tools/list_changed", None),
            ("prompts", "prompts/list_changed", None),
            ("test://another", "", None),
            ("resources", "resources/list_changed", None),
            ("test://fixed", "resources/updated", Some("test://fixed")),
        ] {
            let expected = (!method.is_empty()).then(|| notification(method, uri, id.as_ref()));
            let heard = announce(&mut case.wire, what, expected.iter().count()).await;
            assert_eq!(heard, Vec::from_iter(expected), "{}: {what}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn what_was_given_up_is_not_heard_of() {
    everywhere_on(server, async |case, _| {
        let id = ask(case, &all()).await;
        let Some(id) = id else {
            for _ in 0..2 {
                let uri = json!({"uri": "test://fixed"});
                assert_eq!(case.wire.result("resources/unsubscribe", uri).await, json!({}), "{}", case.name);
            }
            announce(&mut case.wire, "test://fixed", 0).await;
            let heard = announce(&mut case.wire, "tools", 1).await;
            assert_eq!(heard, [notification("tools/list_changed", None, None)], "{}", case.name);
            return;
        };
        let other = ask(case, &json!({"toolsListChanged": true})).await;
        case.wire.cancel(&id).await;
        announce(&mut case.wire, "prompts", 0).await;
        let heard = announce(&mut case.wire, "tools", 1).await;
        let is_told = |heard: &Value| *heard == notification("tools/list_changed", None, other.as_ref());
        // Over HTTP the server learns a little later that a client is gone; nobody hears what it says until then.
        assert!(heard.iter().all(is_told), "{}: {heard:?}", case.name);
    })
    .await;
}

#[tokio::test]
async fn only_what_is_there_is_offered_and_honoured() {
    everywhere_on(server, async |case, running| {
        let capabilities = if case.is_stateless() {
            case.wire.result("server/discover", json!({})).await["capabilities"].take()
        } else {
            running.connect().await.initialize(case.version).await["result"]["capabilities"].take()
        };
        assert_eq!(capabilities["tools"], json!({"listChanged": true}), "{}", case.name);
        assert_eq!(capabilities["prompts"], json!({"listChanged": true}), "{}", case.name);
        assert_eq!(capabilities["resources"], json!({"listChanged": true, "subscribe": true}), "{}", case.name);
        assert!(capabilities.get("completions").is_none(), "{}", case.name);
        assert!(capabilities.get("extensions").is_none(), "{}", case.name);
    })
    .await;
    let only_a_tool = || {
        McpServer::new(ServerOptions::new("small", "1"))
            .tool::<lone>()
            .extension("com.example/search", json!({"depth": 3}))
    };
    let running = Running::start(Transport::Http, only_a_tool).await;
    let wire = running.connect_as(STATELESS).await;
    let mut case = Case { wire, transport: Transport::Http, version: STATELESS, name: "a tool alone".to_owned() };
    let capabilities = case.wire.result("server/discover", json!({})).await["capabilities"].take();
    let expected = json!({
        "logging": {}, "tools": {"listChanged": true}, "extensions": {"com.example/search": {"depth": 3}},
    });
    assert_eq!(capabilities, expected);
    let asked = json!({"toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["a:b"]});
    let id = case.wire.start("subscriptions/listen", json!({"notifications": asked})).await;
    let acknowledged = case.wire.receive().await;
    assert_eq!(acknowledged["params"], json!({"_meta": {ID_KEY: id}, "notifications": {"toolsListChanged": true}}));

    let nothing = || McpServer::new(ServerOptions::new("nothing", "1"));
    let running = Running::start(Transport::Http, nothing).await;
    let mut wire = running.connect_as(STATELESS).await;
    assert_eq!(wire.refusal("subscriptions/listen", json!({"notifications": {}})).await["code"], -32601);
    assert_eq!(wire.refusal("tools/list", json!({})).await["code"], -32601);
}

#[tokio::test]
async fn what_cannot_be_watched_is_refused() {
    everywhere_on(server, async |case, _| {
        let (of, missing) = if case.is_stateless() {
            ("subscriptions/listen", "resources/subscribe")
        } else {
            ("resources/subscribe", "subscriptions/listen")
        };
        assert_eq!(case.wire.refusal(missing, json!({"uri": "test://fixed"})).await["code"], -32601, "{}", case.name);
        let listen = |filter: Value| json!({"notifications": filter});
        let uris = |uris: Value| listen(json!({"resourceSubscriptions": uris}));
        let too_many: Vec<_> = (0..1001).map(|number| format!("test://{number}")).collect();
        let table = if case.is_stateless() {
            vec![
                json!({}),
                json!({"notifications": null}),
                listen(json!([])),
                listen(json!({"toolsListChanged": 1})),
                uris(json!("a:b")),
                uris(json!([1])),
                uris(json!(["no uri"])),
                uris(json!(too_many)),
            ]
        } else {
            vec![json!({}), json!({"uri": 1}), json!({"uri": ""}), json!({"uri": "no uri"}), json!({"uri": "1:x"})]
        };
        for params in table {
            let refusal = case.wire.refusal(of, params.clone()).await;
            assert_eq!(refusal["code"], -32602, "{}: {params}: {refusal}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_watches_a_bounded_number_of_resources() {
    fn bounded() -> McpServer {
        let mut limits = Limits::default();
        limits.max_subscription_uris = Some(2);
        server().limits(limits)
    }
    everywhere_on(bounded, async |case, _| {
        let Case { wire, transport, version, name } = case;
        if *version == STATELESS {
            let listen = |uris: &[&str]| json!({"notifications": {"resourceSubscriptions": uris}});
            let refusal = wire.refusal("subscriptions/listen", listen(&["a:1", "a:2", "a:3"])).await;
            assert_eq!(refusal["code"], -32602, "{name}");
            for uris in [&["a:1"], &["a:2"]] {
                wire.start("subscriptions/listen", listen(uris)).await;
                wire.receive().await;
            }
            // Over HTTP each stream is a client of its own, and counted as a stream.
            if *transport != Transport::Http {
                assert_eq!(wire.refusal("subscriptions/listen", listen(&["a:3"])).await["code"], -32600, "{name}");
            }
            return;
        }
        for uri in ["a:1", "a:2", "a:1"] {
            wire.result("resources/subscribe", json!({"uri": uri})).await;
        }
        assert_eq!(wire.refusal("resources/subscribe", json!({"uri": "a:3"})).await["code"], -32600, "{name}");
        wire.result("resources/unsubscribe", json!({"uri": "a:1"})).await;
        wire.result("resources/subscribe", json!({"uri": "a:3"})).await;
    })
    .await;
}

#[tokio::test]
async fn several_subscriptions_keep_their_ids() {
    for transport in Transport::ALL.into_iter().filter(|transport| transport.versions().any(|it| it == STATELESS)) {
        let running = Running::start(transport, server).await;
        let mut wire = running.connect_as(STATELESS).await;
        let ids = [json!("100"), json!(100), json!("é\"\n")];
        for id in &ids {
            let params = json!({"notifications": {"toolsListChanged": true}});
            wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})).await;
            assert_eq!(&wire.receive().await["params"]["_meta"][ID_KEY], id, "{transport:?}");
        }
        let mut heard = announce(&mut wire, "tools", ids.len()).await;
        for id in &ids {
            let expected = notification("tools/list_changed", None, Some(id));
            let index = heard.iter().position(|heard| *heard == expected);
            heard.remove(index.unwrap_or_else(|| panic!("{transport:?}: {id} heard nothing")));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_reaches_exactly_those_who_asked() {
    const CLIENTS: usize = 6;
    for transport in Transport::ALL.into_iter().filter(|transport| *transport != Transport::Stdio) {
        let running = Running::start(transport, server).await;
        let mut clients = Vec::new();
        for number in 0..CLIENTS {
            let versions: Vec<_> = transport.versions().collect();
            let version = versions[number % versions.len()];
            let wire = running.connect_as(version).await;
            let mut case = Case { wire, transport, version, name: format!("{transport:?}: client {number}") };
            let id =
                ask(&mut case, &json!({"resourceSubscriptions": [format!("test://{number}"), "test://all"]})).await;
            clients.push((case, id));
        }
        let mut speaker = running.connect_as("2025-11-25").await;
        for number in (0..CLIENTS).rev() {
            announce(&mut speaker, &format!("test://{number}"), 0).await;
        }
        announce(&mut speaker, "test://all", 0).await;
        for (number, (case, id)) in clients.iter_mut().enumerate() {
            for uri in [format!("test://{number}"), "test://all".to_owned()] {
                let expected = notification("resources/updated", Some(&uri), id.as_ref());
                assert_eq!(case.wire.receive().await, expected, "{}", case.name);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_the_moment_the_acknowledgement_is_there_is_heard() {
    for transport in [Transport::Memory, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut speaker = running.connect_as(STATELESS).await;
        for round in 0..100 {
            let wire = running.connect_as(STATELESS).await;
            let mut case = Case { wire, transport, version: STATELESS, name: format!("{transport:?}, round {round}") };
            let id = ask(&mut case, &json!({"promptsListChanged": true})).await;
            announce(&mut speaker, "prompts", 0).await;
            let expected = notification("prompts/list_changed", None, id.as_ref());
            assert_eq!(case.wire.receive().await, expected, "{}", case.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_acknowledgement_comes_first_however_much_happens() {
    for transport in [Transport::Memory, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut speaker = running.connect_as(STATELESS).await;
        let noise = tokio::spawn(async move {
            loop {
                announce(&mut speaker, "tools", 0).await;
                tokio::task::yield_now().await;
            }
        });
        for round in 0..50 {
            let wire = running.connect_as(STATELESS).await;
            let mut case = Case { wire, transport, version: STATELESS, name: format!("{transport:?}, round {round}") };
            ask(&mut case, &json!({"toolsListChanged": true})).await;
        }
        noise.abort();
    }
}

#[tokio::test]
async fn a_burst_is_heard_at_least_once_and_breaks_nothing() {
    everywhere_on(server, async |case, _| {
        let id = ask(case, &all()).await;
        let burst = json!({"what": "tools", "times": 10_000});
        let (heard, _) = told(&mut case.wire, "announce", burst, 1).await;
        let expected = notification("tools/list_changed", None, id.as_ref());
        assert!(heard.iter().all(|heard| *heard == expected) && heard.len() < 100, "{}: {heard:?}", case.name);
        let mut last = announce(&mut case.wire, "prompts", 1).await;
        while last.last().is_some_and(|heard| *heard == expected) {
            last = vec![case.wire.receive().await];
        }
        assert_eq!(last.last(), Some(&notification("prompts/list_changed", None, id.as_ref())), "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_nobody_reads_fast_enough_ends_alone() {
    fn narrow() -> McpServer {
        let mut limits = Limits::default();
        limits.stream_queue_messages = Some(4);
        server().limits(limits)
    }
    let running = Running::start(Transport::Http, narrow).await;
    let address = running.address.expect("a listener");
    let many: Vec<_> = (0..100).map(|number| format!("test://many/{number}")).collect();
    let mut slow = listen(address, "1", &json!({"resourceSubscriptions": many})).await;
    let mut other = listen(address, "2", &json!({"toolsListChanged": true})).await;
    for stream in [&mut slow, &mut other] {
        assert!(stream.event().await.expect("an acknowledgement").data.contains("acknowledged"));
    }
    let mut speaker = running.connect_as(STATELESS).await;
    // All in one turn of the only thread: nobody can read meanwhile.
    told(&mut speaker, "announce", json!({"what": "many", "times": 100}), 0).await;
    assert_eq!(slow.event().await, None);
    announce(&mut speaker, "tools", 0).await;
    assert!(other.event().await.expect("a change").data.contains("tools/list_changed"));
}

/// Opens a subscription over HTTP, by hand.
async fn listen(address: SocketAddr, id: &str, notifications: &Value) -> http::OpenAnswer {
    listen_accepting("application/json, text/event-stream", address, id, notifications).await
}

async fn listen_accepting(accept: &str, address: SocketAddr, id: &str, notifications: &Value) -> http::OpenAnswer {
    let meta = json!({streamable::VERSION_KEY: STATELESS, "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"_meta": meta, "notifications": notifications});
    let message = json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params});
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", accept),
        ("MCP-Protocol-Version", STATELESS),
        ("Mcp-Method", "subscriptions/listen"),
    ];
    http::open(address, "POST", streamable::PATH, &headers, &message.to_string()).await
}

#[tokio::test]
async fn subscriptions_over_http_count_as_streams() {
    fn bounded() -> McpServer {
        let mut limits = Limits::default();
        limits.max_streams = Some(2);
        server().limits(limits)
    }
    let running = Running::start(Transport::Http, bounded).await;
    let address = running.address.expect("a listener");
    let filter = json!({"toolsListChanged": true});
    let mut first = listen(address, "1", &filter).await;
    let mut second = listen(address, "2", &filter).await;
    for stream in [&mut first, &mut second] {
        assert!(stream.is_stream(), "{stream:?}");
        stream.event().await.expect("an acknowledgement");
    }
    assert_eq!(listen(address, "3", &filter).await.status, 503);
    assert_eq!(listen_accepting("application/json", address, "3", &filter).await.status, 406);
    drop(first);
    // The server learns by itself that a client is gone.
    while listen(address, "3", &filter).await.status != 200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn subscriptions_take_no_place_from_calls() {
    fn bounded() -> McpServer {
        let mut limits = Limits::default();
        limits.max_requests_per_session = Some(1);
        server().limits(limits)
    }
    for transport in [Transport::Memory, Transport::Stdio] {
        let running = Running::start(transport, bounded).await;
        let mut wire = running.connect_as(STATELESS).await;
        for _ in 0..3 {
            wire.start("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).await;
            wire.receive().await;
        }
        assert_eq!(announce(&mut wire, "tools", 3).await.len(), 3, "{transport:?}");
    }
}

#[tokio::test]
async fn the_servers_end_is_a_result() {
    let result = |id: &Value| json!({"resultType": "complete", "_meta": {ID_KEY: id}});
    let check = |message: &Value, id: &Value| {
        let mut message = message.clone();
        let info = message["result"]["_meta"].as_object_mut().expect("a `_meta`").remove(SERVER_INFO);
        assert_eq!(info.expect("the server")["name"], "changing");
        assert_eq!(message, json!({"jsonrpc": "2.0", "id": id, "result": result(id)}));
    };
    const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

    let running = Running::start(Transport::Http, server).await;
    let mut stream = listen(running.address.expect("a listener"), "x", &all()).await;
    stream.event().await.expect("an acknowledgement");
    drop(running);
    let last = stream.event().await.expect("a result");
    check(&serde_json::from_str(&last.data).expect("JSON"), &json!("x"));
    assert_eq!(stream.event().await, None);

    let running = Running::start(Transport::Stdio, server).await;
    let mut wire = running.connect_as(STATELESS).await;
    let id = json!(wire.start("subscriptions/listen", json!({"notifications": all()})).await);
    wire.receive().await;
    let rest: Vec<Value> = wire.rest().await.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    check(&rest[0], &id);
    assert_eq!(rest[1]["method"], "notifications/cancelled");
    assert_eq!(rest[1]["params"]["requestId"], id);
    assert_eq!(rest.len(), 2, "{rest:?}");
}

#[tokio::test]
async fn tools_come_and_go_while_the_server_runs() {
    everywhere_on(server, async |case, _| {
        let id = ask(case, &json!({"toolsListChanged": true})).await;
        let changed = [notification("tools/list_changed", None, id.as_ref())];
        let before = names(&mut case.wire).await;
        let check = async |case: &mut Case, tool: &str, name: &str, error: Option<&str>| {
            let count = usize::from(error.is_none());
            let (heard, text) = told(&mut case.wire, tool, json!({"name": name}), count).await;
            assert_eq!(heard, changed[..count], "{}: {tool} {name}", case.name);
            assert_eq!(text.as_str(), error, "{}: {tool} {name}", case.name);
        };
        check(case, "grow", "double", None).await;
        let taken = "two tools are named `double`; rename one (`name = \"…\"`), or mount its server under a prefix with `mount_at`";
        check(case, "grow", "double", Some(taken)).await;
        check(case, "grow", "two words", Some("tool name `two words` must match ^[A-Za-z0-9_-]{1,64}$")).await;
        check(case, "shrink", "absent", Some("there is no tool `absent`")).await;
        let grown = names(&mut case.wire).await;
        assert_eq!(grown[..before.len()], before, "{}", case.name);
        assert_eq!(grown[before.len()..], ["double"], "{}", case.name);
        assert_eq!(case.wire.call("double", json!({"n": 21})).await["content"][0]["text"], "42", "{}", case.name);
        assert_eq!(case.wire.call("double", json!({})).await["isError"], true, "{}", case.name);
        let (heard, _) = told(&mut case.wire, "grow_lone", json!({}), 1).await;
        assert_eq!(heard, changed, "{}", case.name);
        check(case, "shrink", "double", None).await;
        // What the program was built with can go, too.
        check(case, "shrink", "hang", None).await;
        let left: Vec<_> = before.iter().map(String::as_str).filter(|name| *name != "hang").chain(["lone"]).collect();
        assert_eq!(names(&mut case.wire).await, left, "{}", case.name);
        assert_eq!(case.wire.call("lone", json!({})).await["content"][0]["text"], "lone", "{}", case.name);
        let gone = case.wire.refusal("tools/call", json!({"name": "double"})).await;
        assert_eq!(gone["code"], -32602, "{}: {gone}", case.name);
    })
    .await;
}

async fn names(wire: &mut Wire) -> Vec<String> {
    let tools = wire.result("tools/list", json!({})).await;
    let names = tools["tools"].as_array().expect("tools").iter();
    names.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn a_handle_is_there_before_the_server_and_after() {
    let inner = server();
    let handle = inner.handle();
    assert!(matches!(handle.add_tool::<lone>(), Err(Error::NotServing)));
    handle.tools_changed();
    let server = McpServer::new(ServerOptions::new("outer", "1")).mount_at("inner", inner);
    let connection = mcp_test_support::client(server).connect().await.expect("a server that starts");
    handle.add_tool::<lone>().expect("a server that runs");
    assert_eq!(connection.notification().await.method, "notifications/tools/list_changed");
    let tools = connection.list_tools().await.expect("tools");
    assert_eq!(tools.last().map(|tool| tool.name.as_str()), Some("lone"));
    assert!(tools.iter().any(|tool| tool.name == "inner_announce"));
    drop(connection);
}

#[tokio::test]
async fn what_a_tool_kept_may_change_the_tools_as_it_goes() {
    struct Companion(Handle);

    impl Drop for Companion {
        fn drop(&mut self) {
            self.0.remove_tool("lone").expect("a tool that is there");
        }
    }

    let server = server();
    let handle = server.handle();
    let client = client(server).connect().await.expect("a server that starts");
    handle.add_tool::<lone>().expect("a server that runs");
    let companion = Companion(handle.clone());
    let tool = DynamicTool::new("brief", "", json!({"type": "object"}), move |_, _| {
        let _ = &companion;
        std::future::ready(())
    });
    handle.add_dynamic_tool(tool).expect("a server that runs");
    let (over, is_over) = tokio::sync::oneshot::channel();
    // On a thread of its own: one that waits for itself would keep the test from its end.
    std::thread::spawn(move || over.send(handle.remove_tool("brief")));
    tokio::time::timeout(PATIENCE, is_over).await.expect("an end in time").expect("no panic").expect("a tool");
    let tools = client.list_tools().await.expect("tools");
    assert!(tools.iter().all(|tool| tool.name != "brief" && tool.name != "lone"), "{tools:?}");
}

#[tokio::test]
async fn browsers_are_told_of_headers_of_tools_that_came_later() {
    let transport = json!({"type": "sse", "options": {"port": 0, "cors": {"allowOrigins": ["https://app.test"]}}});
    let options = json!({"name": "changing", "version": "1.0.0", "transport": transport});
    let options: ServerOptions = serde_json::from_value(options).expect("options");
    let bound = server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    let serving = tokio::spawn(bound.serve());
    let schema = json!({"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "Late"}}});
    handle.add_dynamic_tool(DynamicTool::new("late", "", schema, async |_, _| ())).expect("a server that runs");
    let headers = [("Origin", "https://app.test"), ("Access-Control-Request-Method", "POST")];
    let answer = http::request(address, "OPTIONS", streamable::PATH, &headers, "").await;
    let allowed = answer.header("access-control-allow-headers").expect("headers").to_ascii_lowercase();
    assert!(allowed.split(',').any(|name| name.trim() == "mcp-param-late"), "{allowed}");
    handle.shut_down();
    serving.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn without_sessions_nothing_is_promised_that_could_not_be_kept() {
    let mut options = ServerOptions::new("changing", "1.0.0");
    options.transport = TransportOptions::Sse(SseOptions { port: 0, sessions: false, ..SseOptions::default() });
    let bound = server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    let serving = tokio::spawn(bound.serve());
    let post = async |method: &str, params: Value| -> Value {
        let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = http::request(address, "POST", streamable::PATH, &headers, &message.to_string()).await;
        serde_json::from_str(&answer.body).expect("JSON")
    };
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let capabilities = post("initialize", client).await["result"]["capabilities"].take();
    let expected = json!({"logging": {}, "prompts": {}, "resources": {}, "tools": {}});
    assert_eq!(capabilities, expected);
    assert_eq!(post("resources/subscribe", json!({"uri": "test://fixed"})).await["error"]["code"], -32601);
    handle.shut_down();
    serving.await.expect("no panic").expect("no error");
}
