//! What a handler asks of its client: the same handler over every transport at every version, and all that a client can
//! answer.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcp_runtime::{
    AskError, Limits, Secret,
    prelude::*,
    protocol::{CreateMessageRequestParams, ElicitResult, ProtocolVersion, SamplingMessage, ToolResultContent},
    testing::{Refusal, TestClient},
};
use mcp_test_support::{Running, STATELESS, Transport, http, schema::Shared, streamable};
use serde_json::{Value, json};

use crate::{Case, everywhere_on};

/// The example as its readers see it.
#[path = "../../examples/ask.rs"]
#[allow(dead_code)]
mod example;

fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// What a client of that version answers, having seen that it was asked in the words of its version.
fn answer(version: &str, method: &str, params: &Value) -> Value {
    match method {
        "roots/list" => json!({"roots": [{"uri": "file:///menus", "name": "menus"}]}),
        "sampling/createMessage" => {
            assert_eq!(params["messages"][0]["content"]["type"], "text", "{version}: {params}");
            json!({"role": "assistant", "content": {"type": "text", "text": "A table, please."}, "model": "m"})
        }
        _ if params["mode"] == "url" => {
            assert!(version >= "2025-11-25", "{version}: {params}");
            assert_eq!(params.get("elicitationId").is_some(), version == "2025-11-25", "{version}: {params}");
            json!({"action": "accept"})
        }
        _ => {
            assert!(version >= "2025-06-18", "{version}: {params}");
            assert_eq!(params.get("mode").is_some(), version >= "2025-11-25", "{version}: {params}");
            let fields = &params["requestedSchema"]["properties"];
            if fields.get("name").is_some() {
                return json!({"action": "accept", "content": {"name": "Ada"}});
            }
            let titled = if version >= "2025-11-25" { "oneOf" } else { "enumNames" };
            assert!(fields["place"].get(titled).is_some(), "{version}: {params}");
            json!({"action": "accept", "content": {"guests": 3, "place": "terrace"}})
        }
    }
}

#[tokio::test]
async fn the_same_handler_gets_past_its_questions_everywhere() {
    for transport in Transport::ALL {
        for version in transport.versions() {
            let running = Running::start(transport, example::server).await;
            let mut wire = running.connect_offering(version, everything()).await;
            let name = format!("{transport:?} at {version}");
            let mut check = async |method: &str, params: Value, path: &str, expected: &str| {
                let said = wire.converse(method, params, |method, params| answer(version, method, params)).await;
                assert_eq!(said["result"].pointer(path), Some(&json!(expected)), "{name}: {said}");
            };
            let text = "/content/0/text";
            let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});

            let booked = if version >= "2025-06-18" { "3 on the terrace" } else { "2 inside" };
            let booked = format!("a table for {booked}, at Rita's");
            check("tools/call", tool("book", json!({"at": "Rita's"})), text, &booked).await;
            check("tools/call", tool("write", json!({"to": "Rita's"})), text, "To Rita's: A table, please.").await;
            let params = json!({"uri": "tables://menus"});
            check("resources/read", params, "/contents/0/text", "file:///menus").await;
            if version >= "2025-06-18" {
                let thanks = "Write a letter of thanks from Ada.";
                check("prompts/get", json!({"name": "thanks"}), "/messages/0/content/text", thanks).await;
            }
            let signed_in = if version >= "2025-11-25" {
                "signing in"
            } else {
                "the client does not offer pages for its user to visit (elicitation.url)"
            };
            check("tools/call", tool("book_with_account", json!({})), text, signed_in).await;
        }
    }
}

#[tokio::test]
async fn a_client_without_the_feature_is_refused_in_the_words_of_its_version() {
    everywhere_on(example::server, async |case, _| {
        let Case { wire, version, name, .. } = case;
        let cases = [
            ("tools/call", json!({"name": "write", "arguments": {"to": "x"}}), json!({"sampling": {}})),
            ("tools/call", json!({"name": "book_with_account"}), json!({"elicitation": {"url": {}}})),
            ("prompts/get", json!({"name": "thanks"}), json!({"elicitation": {"form": {}}})),
            ("resources/read", json!({"uri": "tables://menus"}), json!({"roots": {}})),
        ];
        for (method, params, required) in cases {
            let said = wire.request(method, params).await;
            if *version == STATELESS {
                assert_eq!(said["error"]["code"], -32021, "{name}: {said}");
                assert_eq!(said["error"]["data"], json!({ "requiredCapabilities": required }), "{name}");
            } else if method == "tools/call" {
                assert_eq!(said["result"]["isError"], true, "{name}: {said}");
            } else {
                assert_eq!(said["error"]["code"], -32603, "{name}: {said}");
            }
        }
        // What can be done without is done without.
        let booked = wire.call("book", json!({"at": "Rita's"})).await;
        assert_eq!(booked["content"][0]["text"], "a table for 2 inside, at Rita's", "{name}");
    })
    .await;
}

#[tokio::test]
async fn what_is_offered_is_an_object() {
    for version in [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
        let client = mcp_test_support::client(example::server())
            .version(version)
            .offer("elicitation", json!({"form": {}, "url": false}))
            .offer("sampling", json!(false))
            .offer("roots", json!("no"))
            .connect()
            .await
            .unwrap();
        for (method, params) in [
            ("tools/call", json!({"name": "write", "arguments": {"to": "x"}})),
            ("tools/call", json!({"name": "book_with_account", "arguments": {}})),
            ("resources/read", json!({"uri": "tables://menus"})),
        ] {
            let said = match client.request(method, params.clone()).await {
                Ok(result) => result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
                Err(refusal) => refusal.message,
            };
            assert!(said.contains("offer"), "{version}: {params}: {said}");
        }
    }
}

#[tokio::test]
async fn what_came_of_answers_is_for_nobody_to_keep() {
    use mcp_runtime::protocol::CacheScope;
    let server: fn() -> McpServer = || example::server().cache(Duration::from_secs(60), CacheScope::Public);
    let running = Running::start(Transport::Memory, server).await;
    let mut wire = running.connect_offering(STATELESS, everything()).await;
    let params = json!({"uri": "tables://menus"});
    let said = wire.converse("resources/read", params, |method, params| answer(STATELESS, method, params)).await;
    assert_eq!((&said["result"]["ttlMs"], &said["result"]["cacheScope"]), (&json!(0), &json!("private")), "{said}");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    #[schemars(length(min = 2))]
    name: String,
}

/// Where a tool says what became of its question.
#[derive(Clone)]
struct Told(tokio::sync::mpsc::UnboundedSender<String>);

#[mcp_server]
mod asking {
    use super::*;

    /// Asks one after the other, without keys
    #[mcp_tool]
    async fn twice(context: Context, #[mcp(default)] suffix: String) -> Result<String, ToolError> {
        let first = context.elicit::<Name>("First?").await?;
        let second = context.elicit::<Name>("Second?").await?;
        let name = |it: Elicited<Name>| it.accepted().map_or_else(|| "-".to_owned(), |it| it.name);
        Ok(format!("{} {}{suffix}", name(first), name(second)))
    }

    /// Asks in other words each time
    #[mcp_tool]
    async fn changing(context: Context) -> Result<String, ToolError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = context.elicit::<Name>(format!("Delete {count} files?")).key("sure").await?;
        Ok(name.accepted().map_or_else(|| "-".to_owned(), |it| it.name))
    }

    /// Asks until it likes the answer
    #[mcp_tool]
    async fn insisting(context: Context) -> Result<String, ToolError> {
        loop {
            if let Elicited::Accepted(Name { name }) = context.elicit::<Name>("Name?").key("name").await?
                && name != "nobody"
            {
                return Ok(name);
            }
        }
    }

    /// Lets a task ask
    #[mcp_tool]
    async fn spawned(context: Context) -> Result<String, ToolError> {
        let asking = tokio::spawn(async move { context.elicit::<Name>("Name?").key("name").await });
        let name = asking.await.map_err(|error| ToolError::new(error.to_string()))??;
        Ok(name.accepted().map_or_else(|| "-".to_owned(), |it| it.name))
    }

    /// Asks from a thread that blocks
    #[mcp_tool(blocking)]
    fn blocking(context: Context) -> Result<String, ToolError> {
        let asked = context.elicit::<Name>("Name?").key("name").into_future();
        let name = tokio::runtime::Handle::current().block_on(asked)?;
        Ok(name.accepted().map_or_else(|| "-".to_owned(), |it| it.name))
    }

    /// Asks, and does not wait for the answer
    #[mcp_tool]
    async fn hasty(context: Context) -> Result<&'static str, ToolError> {
        tokio::select! {
            biased;
            answer = context.elicit::<Name>("Name?").into_future() => answer.map(|_| "answered").map_err(Into::into),
            () = tokio::task::yield_now() => Ok("did not wait"),
        }
    }

    /// Waits, and says what became of its question
    #[mcp_tool]
    async fn plain(context: Context) -> Result<String, ToolError> {
        Ok(match context.sample(CreateMessageRequestParams::new("Hi", 5)).await {
            Ok(answer) => format!("said {}", answer.first_text().unwrap_or("nothing")),
            Err(AskError::Refused { code, message }) => format!("refused {code} {message}"),
            Err(AskError::Unfit(_)) => "unfit".to_owned(),
            Err(error) => return Err(error.into()),
        })
    }

    /// Asks far too much at once
    #[mcp_tool]
    async fn greedy(context: Context) -> Result<String, ToolError> {
        let mut asking = tokio::task::JoinSet::new();
        for _ in 0..300 {
            let asked = context.roots().into_future();
            asking.spawn(asked);
        }
        while let Some(answer) = asking.join_next().await {
            if let Ok(Err(AskError::TooMany)) = answer {
                return Ok("too many".to_owned());
            }
        }
        Ok("all answered".to_owned())
    }

    /// Asks for what is no form
    #[mcp_tool]
    async fn formless(context: Context) -> Result<String, ToolError> {
        let answer = context.elicit::<Vec<String>>("Which?").await?;
        Ok(format!("{}", answer.accepted().is_some()))
    }

    /// Asks in a task, and is done before that has an answer
    #[mcp_tool]
    async fn forgetful(context: Context, told: State<Told>) -> &'static str {
        let told = told.0.0.clone();
        let asked = context.elicit::<Name>("Name?").into_future();
        tokio::spawn(async move {
            told.send(asked.await.map_or_else(|error| error.to_string(), |_| "answered".to_owned()))
        });
        tokio::task::yield_now().await;
        "done"
    }

    /// Asks again and again, until that fails
    #[mcp_tool]
    async fn nagging(context: Context, told: State<Told>) {
        loop {
            let asked = context.elicit::<Name>("Name?").into_future();
            if let Ok(Err(error)) = tokio::time::timeout(Duration::from_millis(20), asked).await {
                let _ = told.0.0.send(error.to_string());
                return;
            }
        }
    }

    /// Lets the model use a tool
    #[mcp_tool]
    async fn agent(context: Context) -> Result<String, ToolError> {
        let tool = serde_json::from_value(json!({"name": "add", "inputSchema": {"type": "object"}}));
        let mut request = CreateMessageRequestParams::new("How much is 1 and 2?", 50);
        request.tools = Some(vec![tool.map_err(|error| ToolError::new(error.to_string()))?]);
        loop {
            let answer = context.sample(request.clone()).await?;
            let results: Vec<_> = answer
                .tool_uses()
                .map(|used| ToolResultContent::new(&*used.id, vec![ContentBlock::text(used.input.get())]))
                .collect();
            if results.is_empty() {
                return Ok(answer.first_text().unwrap_or_default().to_owned());
            }
            request.messages.extend([answer.into_message(), SamplingMessage::tool_results(results)]);
        }
    }

    /// Asks for several values
    #[mcp_tool]
    async fn several(context: Context) -> Result<usize, ToolError> {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        enum Day {
            Sat,
            Sun,
        }
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        struct Days {
            days: Vec<Day>,
        }
        let days = context.elicit::<Days>("When?").await?;
        Ok(days.accepted().map_or(0, |it| it.days.iter().filter(|day| matches!(day, Day::Sat | Day::Sun)).count()))
    }

    /// Holds what panics when it is dropped
    #[mcp_tool]
    async fn fragile(context: Context) -> Result<&'static str, ToolError> {
        struct Fragile(bool);
        impl Drop for Fragile {
            fn drop(&mut self) {
                assert!(self.0, "dropped too early");
            }
        }
        let mut fragile = Fragile(false);
        context.elicit::<Name>("Name?").key("name").await.map(drop)?;
        fragile.0 = true;
        Ok("whole")
    }
}

fn server() -> McpServer {
    asking::server().state(Told(tokio::sync::mpsc::unbounded_channel().0))
}

fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

async fn client(version: ProtocolVersion) -> TestClient {
    mcp_test_support::client(server())
        .version(version)
        .offer("elicitation", json!({}))
        .offer("sampling", json!({}))
        .offer("roots", json!({}))
        .on_request("elicitation/create", |_| Ok(named("Ada")))
        .connect()
        .await
        .expect("a server that starts")
}

#[tokio::test]
async fn whoever_asks_gets_the_answer() {
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
        let client = client(version).await;
        for (tool, expected) in [("twice", "Ada Ada"), ("insisting", "Ada"), ("spawned", "Ada"), ("blocking", "Ada")] {
            let result = client.call(tool, json!({})).await.unwrap();
            assert_eq!(result.first_text(), Some(expected), "{tool} at {version}");
        }
        let result = client.call("fragile", json!({})).await.unwrap();
        assert_eq!(result.first_text(), Some("whole"), "{version}");
        let result = client.call("formless", json!({})).await.unwrap();
        assert!(result.is_error && result.first_text().unwrap().contains("no struct with named fields"), "{version}");
    }
}

/// One round of a call of 2026-07-28, by hand.
async fn round(client: &TestClient, params: Value) -> Result<Value, Refusal> {
    client.start("tools/call", params).await.answer().await
}

/// The keys of the questions, or the text of the result.
fn gist(result: &Value) -> String {
    match result["inputRequests"].as_object() {
        Some(questions) => format!("? {}", questions.keys().cloned().collect::<Vec<_>>().join(" ")),
        None => result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
    }
}

#[tokio::test]
async fn a_client_comes_back_until_all_is_answered() {
    let client = client(ProtocolVersion::V2026_07_28).await;
    let first = round(&client, json!({"name": "twice"})).await.unwrap();
    assert_eq!(gist(&first), "? question-1");
    assert!(first.get("ttlMs").is_none() && first["_meta"].is_object(), "{first}");
    let back =
        |state: &Value, responses: Value| json!({"name": "twice", "requestState": state, "inputResponses": responses});
    // No answer, an answer to something else, an answer that does not fit: asked again.
    let unfit = [
        json!(null),
        json!({}),
        json!({"other": named("Bob")}),
        json!({"question-1": 12345}),
        json!({"question-1": null}),
        json!({"question-1": []}),
        json!({"question-1": {"action": "maybe"}}),
        json!({"question-1": ["accept", {"name": "Ada"}]}),
        json!({"question-1": {"action": "accept"}}),
        json!({"question-1": {"action": "accept", "content": null}}),
        json!({"question-1": {"action": "accept", "content": []}}),
        json!({"question-1": {"action": "accept", "content": {"name": 5}}}),
        json!({"question-1": {"action": "accept", "content": {"name": "A"}}}),
        json!({"question-1": {"action": "accept", "content": {"names": "Ada"}}}),
        json!({"question-2": named("Bob")}),
    ];
    for responses in unfit {
        let again = round(&client, back(&first["requestState"], responses.clone())).await.unwrap();
        assert_eq!(gist(&again), "? question-1", "{responses}");
        assert_ne!(again["requestState"], first["requestState"]);
        // And an answer that fits is taken then.
        let responses = json!({"question-1": named("Ada")});
        let next = round(&client, back(&again["requestState"], responses)).await.unwrap();
        assert_eq!(gist(&next), "? question-2");
    }
    let refusal = round(&client, back(&first["requestState"], json!([1]))).await.unwrap_err();
    assert_eq!(refusal.code, -32602, "{refusal}");
    // Answers come by the round, and the server remembers those of before; what is unknown is passed over.
    let responses = json!({"question-1": named("Ada"), "more": 1});
    let second = round(&client, back(&first["requestState"], responses)).await.unwrap();
    assert_eq!(gist(&second), "? question-2");
    let decline = json!({"question-2": {"action": "decline"}, "question-1": named("Eve")});
    let done = round(&client, back(&second["requestState"], decline)).await.unwrap();
    assert_eq!((gist(&done).as_str(), &done["resultType"]), ("Ada -", &json!("complete")));
    // A state may be brought back twice: what may be done once only is the handler's to see to.
    let again = round(&client, back(&second["requestState"], json!({"question-2": named("Bob")}))).await.unwrap();
    assert_eq!(gist(&again), "Ada Bob");
    // Who answers a numbered question that was not asked is asked.
    let early = json!({"name": "twice", "inputResponses": {"question-1": named("Ada")}});
    assert_eq!(gist(&round(&client, early).await.unwrap()), "? question-1");
    let named_early = json!({"name": "spawned", "inputResponses": {"name": named("Ada")}});
    assert_eq!(gist(&round(&client, named_early).await.unwrap()), "Ada");
}

#[tokio::test]
async fn a_state_is_good_for_its_request_alone() {
    let client = client(ProtocolVersion::V2026_07_28).await;
    let first = round(&client, json!({"name": "twice", "arguments": {"suffix": "!"}})).await.unwrap();
    let state = first["requestState"].as_str().unwrap();
    let responses = json!({"question-1": named("Ada")});
    let back = |params: Value, state: Value| {
        let mut params = params;
        params["requestState"] = state;
        params["inputResponses"] = responses.clone();
        params
    };
    let own = json!({"arguments": {"suffix": "!"}, "name": "twice", "_meta": {"progressToken": 7}});
    assert_eq!(gist(&round(&client, back(own.clone(), json!(state))).await.unwrap()), "? question-2");
    let mut refusals = Vec::new();
    let strangers = [
        back(own.clone(), json!(format!("{state}-TAMPERED"))),
        back(own.clone(), json!("")),
        back(own.clone(), json!("AAAA")),
        back(json!({"name": "twice", "arguments": {"suffix": "?"}}), json!(state)),
        back(json!({"name": "twice"}), json!(state)),
        back(json!({"name": "insisting", "arguments": {"suffix": "!"}}), json!(state)),
    ];
    for params in strangers {
        let refusal = round(&client, params.clone()).await.expect_err(&params.to_string());
        assert_eq!(refusal.code, -32602, "{params}");
        refusals.push(refusal.message);
    }
    refusals.dedup();
    assert_eq!(refusals.len(), 1, "nobody learns what is wrong: {refusals:?}");
    for state in [json!(5), json!({}), json!([])] {
        assert_eq!(round(&client, back(own.clone(), state)).await.unwrap_err().code, -32602);
    }
}

#[tokio::test]
async fn replicas_with_a_key_in_common_take_each_others_calls_up() {
    let start = async |keys: &[&str]| {
        let mut options = ServerOptions::new("replica", "1");
        options.state_keys = keys.iter().map(|key| Secret::from(*key)).collect();
        mcp_test_support::client(server().with_options(options))
            .version(ProtocolVersion::V2026_07_28)
            .offer("elicitation", json!({}))
            .connect()
            .await
            .unwrap()
    };
    let (old, new) = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210");
    let check = async |one: &[&str], other: &[&str], taken: bool| {
        let asked = round(&start(one).await, json!({"name": "spawned"})).await.unwrap();
        let responses = json!({"name": named("Ada")});
        let back = json!({"name": "spawned", "requestState": asked["requestState"], "inputResponses": responses});
        let result = round(&start(other).await, back).await;
        assert_eq!(result.as_ref().map(gist).ok().as_deref(), taken.then_some("Ada"), "{one:?} {other:?} {result:?}");
    };
    check(&[old], &[old], true).await;
    check(&[old], &[new, old], true).await;
    check(&[new, old], &[old], false).await;
    check(&[], &[], false).await;
}

#[tokio::test]
async fn a_state_is_good_for_its_owner_alone() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "guarded",
        "transport": {"type": "http-stream", "options": {"port": 0, "auth": {
            "type": "apikey", "options": {"keys": [
                {"id": "ann", "key": "key-of-ann"}, {"id": "bob", "key": "key-of-bob"},
            ]},
        }}},
    }))
    .expect("options");
    let bound = server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    tokio::spawn(bound.serve());
    let post = async |key: &str, extra: Value| {
        let meta = json!({
            streamable::VERSION_KEY: STATELESS,
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        });
        let mut params = json!({"name": "spawned", "_meta": meta});
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", STATELESS),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "spawned"),
            ("X-API-Key", key),
        ];
        let answer = http::request(address, "POST", streamable::PATH, &headers, &body).await;
        serde_json::from_str::<Value>(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"))
    };
    let asked = post("key-of-ann", json!({})).await;
    let state = &asked["result"]["requestState"];
    let back = json!({"requestState": state, "inputResponses": {"name": named("Ada")}});
    for (key, taken) in [("key-of-ann", true), ("key-of-bob", false)] {
        let said = post(key, back.clone()).await;
        if taken {
            assert_eq!(gist(&said["result"]), "Ada", "{key}: {said}");
        } else {
            assert_eq!(said["error"]["code"], -32602, "{key}: {said}");
        }
    }
    handle.shut_down();
}

#[tokio::test]
async fn a_question_that_changes_is_asked_again_and_rounds_have_a_bound() {
    let mut limits = Limits::default();
    limits.max_rounds = Some(5);
    let client = mcp_test_support::client(server().limits(limits))
        .version(ProtocolVersion::V2026_07_28)
        .on_elicit(|_| serde_json::from_value(named("Ada")).unwrap())
        .connect()
        .await
        .unwrap();
    let refusal = client.call("changing", json!({})).await.unwrap_err();
    assert_eq!((refusal.code, refusal.message.as_str()), (-32603, "the client was asked too often"));
    let client = mcp_test_support::client(server())
        .version(ProtocolVersion::V2026_07_28)
        .on_elicit({
            let count = AtomicU32::new(0);
            move |_| {
                let name = if count.fetch_add(1, Ordering::Relaxed) < 3 { "nobody" } else { "Ada" };
                serde_json::from_value(named(name)).unwrap()
            }
        })
        .connect()
        .await
        .unwrap();
    let result = client.call("insisting", json!({})).await.unwrap();
    assert_eq!(result.first_text(), Some("Ada"), "the same question asked anew is another one");
}

#[tokio::test]
async fn questions_at_once_have_a_bound() {
    for version in [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
        let client = mcp_test_support::client(server())
            .version(version)
            .offer("roots", json!({}))
            .on_request("roots/list", |_| Ok(json!({"roots": []})))
            .connect()
            .await
            .unwrap();
        let result = client.call("greedy", json!({})).await.unwrap();
        assert!(matches!(result.first_text(), Some("too many" | "all answered")), "{version}: {result:?}");
    }
}

#[tokio::test]
async fn an_error_and_an_unfit_answer_are_told_apart() {
    let refusal = |code, message: &str| Refusal { code, message: message.to_owned(), data: Value::Null };
    let text = json!({"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"});
    let many = json!({"role": "assistant", "content": [{"type": "text", "text": "x"}], "model": "m"});
    let cases: [(Result<Value, Refusal>, &str); 6] = [
        (Ok(text), "said x"),
        (Ok(many), "said x"),
        (Err(refusal(-1, "the user said no")), "refused -1 the user said no"),
        (Err(refusal(-32603, "")), "refused -32603 "),
        (Ok(json!({"role": "assistant"})), "unfit"),
        (Ok(json!(5)), "unfit"),
    ];
    for version in ProtocolVersion::WITH_HANDSHAKE {
        for (answer, expected) in cases.clone() {
            let client = mcp_test_support::client(server())
                .version(version)
                .offer("sampling", json!({}))
                .on_request("sampling/createMessage", move |_| answer.clone())
                .connect()
                .await
                .unwrap();
            let result = client.call("plain", json!({})).await.unwrap();
            assert_eq!(result.first_text(), Some(expected), "{version}");
        }
    }
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_withdrawn() {
    for transport in Transport::ALL {
        for version in transport.versions().filter(|version| (*version >= "2025-06-18") && *version != STATELESS) {
            let running = Running::start(transport, server).await;
            let mut wire = running.connect_offering(version, everything()).await;
            let name = format!("{transport:?} at {version}");
            let id = wire.start("tools/call", json!({"name": "hasty"})).await;
            let asked = wire.receive().await;
            assert_eq!(asked["method"], "elicitation/create", "{name}: {asked}");
            let withdrawn = wire.receive().await;
            assert_eq!(withdrawn["method"], "notifications/cancelled", "{name}: {withdrawn}");
            assert_eq!(withdrawn["params"]["requestId"], asked["id"], "{name}");
            let said = wire.answer(&json!(id)).await;
            assert_eq!(said["result"]["content"][0]["text"], "did not wait", "{name}: {said}");
            // An answer that is late, and those to nothing at all, are passed over.
            for id in [asked["id"].clone(), json!(999), json!("x"), json!(-1)] {
                wire.send_text(&json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string()).await;
            }
            wire.probe().await;
            // A call that is cancelled while it asks withdraws its question, too.
            let id = wire.start("tools/call", json!({"name": "insisting"})).await;
            let asked = wire.receive().await;
            wire.cancel(&json!(id)).await;
            if transport != Transport::Http {
                let withdrawn = wire.receive().await;
                assert_eq!(withdrawn["params"]["requestId"], asked["id"], "{name}: {withdrawn}");
            }
            wire.probe().await;
        }
    }
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    for version in [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
        let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
        let client = mcp_test_support::client(asking::server().state(Told(sender)))
            .version(version)
            .offer("elicitation", json!({}))
            .connect()
            .await
            .unwrap();
        // The client has no answer; nobody waits for one.
        let result = client.start("tools/call", json!({"name": "forgetful"})).await.answer().await.unwrap();
        assert!(matches!(gist(&result).as_str(), "done" | "? question-1"), "{version}: {result}");
        let said = told.recv().await.unwrap();
        assert!(said.contains("did not answer") || said.contains("refused"), "{version}: {said}");
    }
}

#[tokio::test]
async fn a_client_that_says_no_more_is_waited_for_no_more() {
    let running = Running::start(Transport::Stdio, server).await;
    let mut wire = running.connect_offering("2025-11-25", everything()).await;
    wire.start("tools/call", json!({"name": "plain"})).await;
    assert_eq!(wire.receive().await["method"], "sampling/createMessage");
    let begun = std::time::Instant::now();
    let rest = wire.rest().await;
    let said: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!(gist(&said["result"]), "the client did not answer", "{rest:?}");
    assert!(begun.elapsed() < Duration::from_secs(5), "it does not take the time that running calls get");
}

#[tokio::test]
async fn nobody_is_asked_on_a_connection_that_has_gone() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "n", "transport": {"type": "http-stream", "options": {"port": 0}},
    }))
    .expect("options");
    let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
    // A queue without bounds does not give up by itself.
    let mut limits = Limits::default();
    (limits.stream_queue_messages, limits.stream_queue_bytes) = (None, None);
    let server = asking::server().state(Told(sender)).with_options(options).limits(limits);
    let bound = server.bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    tokio::spawn(bound.serve());
    let post = async |session: Option<&str>, body: Value| {
        let mut headers = vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
        http::open(address, "POST", streamable::PATH, &headers, &body.to_string()).await
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
    let begun = post(None, json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
    let session = begun.header("mcp-session-id").expect("a session").to_owned();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nagging"}});
    let mut asked = post(Some(&session), call).await;
    assert!(asked.event().await.expect("a question").data.contains("elicitation/create"));
    drop(asked);
    let said = tokio::time::timeout(mcp_test_support::PATIENCE, told.recv()).await.expect("an end in time");
    assert_eq!(said.as_deref(), Some("the client did not answer"));
    handle.shut_down();
}

#[tokio::test]
async fn a_model_may_use_tools_where_the_client_lets_it() {
    let answer = |params: Value| {
        let messages = params["messages"].as_array().unwrap();
        let content = if messages.len() == 1 {
            assert_eq!(params["tools"][0]["name"], "add");
            json!([{"type": "text", "text": "Let me see."}, {"type": "tool_use", "id": "1", "name": "add", "input": {"a": 1}}])
        } else {
            assert_eq!(messages[1]["content"][1]["type"], "tool_use", "{params}");
            assert_eq!(messages[2]["content"]["toolUseId"], "1", "{params}");
            json!({"type": "text", "text": "3"})
        };
        Ok(json!({"role": "assistant", "content": content, "model": "m"}))
    };
    for version in ProtocolVersion::ALL {
        for (offered, tools) in [(json!({}), false), (json!({"tools": {}}), true)] {
            let client = mcp_test_support::client(server())
                .version(version)
                .offer("sampling", offered)
                .on_request("sampling/createMessage", answer)
                .connect()
                .await
                .unwrap();
            match client.call("agent", json!({})).await {
                Ok(result) if tools && version >= ProtocolVersion::V2025_11_25 => {
                    assert_eq!(result.first_text(), Some("3"), "{version}");
                }
                Ok(result) => assert!(result.is_error && !version.is_stateless(), "{version}"),
                Err(refusal) => {
                    assert!(version.is_stateless() && !tools, "{version}: {refusal}");
                    assert_eq!(refusal.data, json!({"requiredCapabilities": {"sampling": {"tools": {}}}}));
                }
            }
        }
    }
}

#[tokio::test]
async fn a_choice_of_several_is_asked_where_it_can_be() {
    for version in ProtocolVersion::ALL {
        let client = mcp_test_support::client(server())
            .version(version)
            .on_elicit(|_| ElicitResult::accept(json!({"days": ["Sat", "Sun"]})))
            .connect()
            .await
            .unwrap();
        let result = client.call("several", json!({})).await.unwrap();
        assert_eq!(result.is_error, version < ProtocolVersion::V2025_11_25, "{version}: {result:?}");
        assert_eq!(result.first_text() == Some("2"), !result.is_error, "{version}: {result:?}");
    }
}

#[tokio::test]
async fn one_client_cannot_answer_for_another() {
    for transport in [Transport::Memory, Transport::Sse, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut one = running.connect_offering("2025-11-25", everything()).await;
        let mut other = running.connect_offering("2025-11-25", everything()).await;
        let id = one.start("tools/call", json!({"name": "insisting"})).await;
        let asked = one.receive().await;
        let answer = |name: &str| json!({"jsonrpc": "2.0", "id": asked["id"], "result": named(name)}).to_string();
        other.send_text(&answer("Eve")).await;
        other.probe().await;
        one.send_text(&answer("Ada")).await;
        let said = one.answer(&json!(id)).await;
        assert_eq!(said["result"]["content"][0]["text"], "Ada", "{transport:?}: {said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_may_think_longer_than_a_call_may_take() {
    let mut limits = Limits::default();
    (limits.call_timeout, limits.max_call) = (Some(Duration::from_secs(1)), Some(Duration::from_secs(1000)));
    let connection = mcp_runtime::testing::Connection::open(server().limits(limits)).unwrap();
    let conversation = Shared::default();
    let send = async |message: Value| {
        conversation.observe_sent(&message.to_string());
        connection.send(message.to_string().as_bytes()).await;
    };
    let receive = async || {
        let message = String::from_utf8(connection.receive().await.unwrap()).unwrap();
        conversation.observe_received(&message);
        serde_json::from_str::<Value>(&message).unwrap()
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
    send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
    receive().await;
    let ask = async |id: u32| {
        send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "insisting"}})).await;
        receive().await["id"].clone()
    };
    let asked = ask(1).await;
    tokio::time::sleep(Duration::from_secs(900)).await;
    send(json!({"jsonrpc": "2.0", "id": asked, "result": named("Ada")})).await;
    assert_eq!(receive().await["result"]["content"][0]["text"], "Ada");
    // But no longer than any call may take.
    ask(2).await;
    let said = [receive().await, receive().await];
    assert!(said.iter().any(|said| said["error"]["message"] == "the call took too long"), "{said:?}");
    assert!(said.iter().any(|said| said["method"] == "notifications/cancelled"), "{said:?}");
}

#[tokio::test]
async fn without_a_session_nobody_can_be_asked() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "n", "transport": {"type": "http-stream", "options": {"port": 0, "sessions": false}},
    }))
    .expect("options");
    let bound = server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    tokio::spawn(bound.serve());
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "insisting"}}).to_string();
    let answer = http::request(address, "POST", streamable::PATH, &headers, &body).await;
    let said: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(said["result"]["isError"], true, "{said}");
    assert_eq!(gist(&said["result"]), "the client does not offer forms for its user (elicitation)");
    handle.shut_down();
}

#[tokio::test]
async fn who_takes_no_stream_cannot_be_asked() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "n", "transport": {"type": "http-stream", "options": {"port": 0}},
    }))
    .expect("options");
    let bound = server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    tokio::spawn(bound.serve());
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json")];
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    let begun = http::request(address, "POST", streamable::PATH, &headers, &body).await;
    let session = ("Mcp-Session-Id", begun.header("mcp-session-id").expect("a session"));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "insisting"}}).to_string();
    let answer =
        http::request(address, "POST", streamable::PATH, &[headers.as_slice(), &[session]].concat(), &body).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let said: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(said["result"]["isError"], true, "{said}");
    assert_eq!(gist(&said["result"]), "the client did not answer");
    handle.shut_down();
}
