//! Starting: what is refused, each cause by its own variant.

use mcp_runtime::{Error, FromContext, prelude::*};
use serde_json::{Value, json};

/// Adds
#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

type Text = String;

/// Has a bound that its argument cannot have
#[mcp_tool]
fn misbound(#[mcp(minimum = 1)] text: Text) -> String {
    text
}

/// Needs a state
#[mcp_tool]
fn needy(state: State<u8>) -> u8 {
    state.0
}

/// Reads
#[mcp_resource(uri = "test://one")]
fn one() -> &'static str {
    "1"
}

/// By its id
#[mcp_resource(uri = "test://all/{id}")]
fn by_id(id: String) -> String {
    id
}

/// By its name
#[mcp_resource(uri = "test://all/{name}")]
fn by_name(name: String) -> String {
    name
}

fn options(transport: Value) -> ServerOptions {
    serde_json::from_value(json!({"name": "options", "version": "1.0.0", "transport": transport})).expect("options")
}

fn sse(options: Value) -> Value {
    json!({"type": "sse", "options": options})
}

#[tokio::test]
async fn what_cannot_start_says_which_option_is_to_blame() {
    let keep = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken = keep.local_addr().unwrap().port();
    let check = async |server: McpServer, expected: &str| {
        let error = server.start().await.unwrap_err();
        let variant = match &error {
            Error::PortInUse { .. } => "PortInUse",
            Error::Listen { .. } => "Listen",
            Error::EqualPaths { .. } => "EqualPaths",
            Error::InvalidOption { .. } => "InvalidOption",
            Error::OpenCorsWithAuth => "OpenCorsWithAuth",
            Error::Duplicate { .. } => "Duplicate",
            Error::DuplicateUri { .. } => "DuplicateUri",
            Error::InvalidName { .. } => "InvalidName",
            Error::EmptyPrefix => "EmptyPrefix",
            Error::InvalidItem { .. } => "InvalidItem",
            Error::MissingState { .. } => "MissingState",
            other => panic!("{other}"),
        };
        assert_eq!(format!("{variant}: {error}").split_once(": ").unwrap().0, expected, "{error}");
        assert_eq!(format!("{error:?}"), error.to_string());
    };
    let new = |transport| McpServer::new(options(transport));
    check(new(sse(json!({"port": taken}))), "PortInUse").await;
    check(new(sse(json!({"host": "no.such.host.invalid", "port": 0}))), "Listen").await;
    check(new(sse(json!({"endpoint": "/messages", "port": 0}))), "EqualPaths").await;
    check(new(sse(json!({"endpoint": "sse", "port": 0}))), "InvalidOption").await;
    let jwt = json!({"type": "jwt", "options": {"algorithms": ["HS256"], "secret": "s".repeat(32)}});
    let open = json!({"cors": {"allowOrigins": ["*"]}, "auth": jwt, "port": 0});
    check(new(sse(open)), "OpenCorsWithAuth").await;
    let short = json!({"type": "jwt", "options": {"algorithms": ["HS256"], "secret": "too short"}});
    check(new(sse(json!({"auth": short, "port": 0}))), "InvalidOption").await;
    let mut limits = mcp_runtime::Limits::default();
    limits.max_requests_per_session = Some(0);
    check(new(json!({"type": "stdio"})).limits(limits), "InvalidOption").await;

    let stdio = || new(json!({"type": "stdio"}));
    check(stdio().tool::<add>().tool::<add>(), "Duplicate").await;
    check(stdio().resource::<one>().mount(stdio().resource::<one>()), "Duplicate").await;
    check(stdio().resource::<one>().mount_at("p", stdio().resource::<one>()), "DuplicateUri").await;
    check(stdio().resource::<by_id>().resource::<by_name>(), "DuplicateUri").await;
    check(stdio().mount_at("bad prefix", stdio().tool::<add>()), "InvalidName").await;
    check(stdio().mount_at(&"x".repeat(62), stdio().tool::<add>()), "InvalidName").await;
    check(stdio().mount_at("", stdio().tool::<add>()), "EmptyPrefix").await;
    check(stdio().mount(stdio().mount_at("", stdio().tool::<add>())), "EmptyPrefix").await;
    check(stdio().tool::<misbound>(), "InvalidItem").await;
    check(stdio().tool::<needy>(), "MissingState").await;
    drop(keep);
}

#[tokio::test]
async fn what_no_application_can_have_says_which_option_is_to_blame() {
    let check = async |transport: Value, blamed: Option<&str>| {
        let error = McpServer::new(options(transport.clone())).tool::<add>().into_service().await.err();
        assert_eq!(error.is_some(), blamed.is_some(), "{transport}: {error:?}");
        let said = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(blamed.unwrap_or_default()), "{transport}: {said}");
    };
    // A port that cannot be had is not looked at.
    let keep = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    check(sse(json!({"port": keep.local_addr().unwrap().port(), "host": "no.such.host.invalid"})), None).await;
    check(json!({"type": "http-stream"}), None).await;
    check(json!({"type": "stdio"}), Some("`transport.type`: `stdio` takes no HTTP; choose")).await;
    check(sse(json!({"endpoint": "/messages"})), Some("messageEndpoint")).await;
    check(sse(json!({"publicUrl": "mcp.example.com"})), Some("transport.options.publicUrl")).await;
    let provider = json!({"issuerUrl": "http://127.0.0.1:1", "clientId": "c", "clientSecret": "s"});
    let oauth = json!({"type": "oauth", "options": provider});
    check(sse(json!({"auth": oauth})), Some("transport.options.publicUrl")).await;
    check(sse(json!({"auth": oauth, "publicUrl": "https://mcp.example.com"})), None).await;
    let key = json!({"type": "apikey", "options": {"keys": ["0123456789abcdef"]}});
    check(sse(json!({"auth": key})), None).await;
}

#[tokio::test]
async fn all_that_is_wrong_is_told_at_once() {
    let server = McpServer::new(options(json!({"type": "stdio"})));
    let error = server.tool::<add>().tool::<add>().tool::<needy>().start().await.unwrap_err();
    let Error::Several(errors) = &error else { panic!("{error}") };
    assert_eq!(errors.len(), 2);
    assert!(error.to_string().contains("`add`") && error.to_string().contains("`needy`"), "{error}");
}

#[tokio::test]
async fn state_reaches_the_functions_of_mounted_servers() {
    let inner = || McpServer::new(ServerOptions::default()).tool::<needy>();
    let outer = McpServer::new(ServerOptions::default())
        .state(1_u8)
        .mount_at("a", inner())
        .mount_at("b", inner().state(2_u8))
        .mount_at("c", McpServer::new(ServerOptions::default()).mount_at("d", inner()));
    let client = mcp_test_support::client(outer).connect().await.unwrap();
    for (tool, expected) in [("a_needy", "1"), ("b_needy", "2"), ("c_d_needy", "1")] {
        let result = client.call(tool, json!({})).await.unwrap();
        assert_eq!(result.first_text(), Some(expected), "{tool}");
    }
}

struct ClientName(String);

impl FromContext for ClientName {
    type Error = ToolError;

    fn from_context(context: &Context) -> Result<Self, ToolError> {
        match context.client_info() {
            Some(info) if info.name != "test-client" => Ok(Self(info.name.clone())),
            _ => Err(ToolError::new("test clients are not served")),
        }
    }
}

/// Greets the client
#[mcp_tool]
fn greet(name: ClientName) -> String {
    format!("Hello, {}!", name.0)
}

#[tokio::test]
async fn an_extractor_that_fails_is_a_failure_of_the_tool() {
    let client =
        mcp_test_support::client(McpServer::new(ServerOptions::default()).tool::<greet>()).connect().await.unwrap();
    let result = client.call("greet", json!({})).await.unwrap();
    assert!(result.is_error);
    assert!(result.first_text().unwrap().contains("test clients are not served"), "{result:?}");
}

#[tokio::test]
async fn limits_set_in_code_hold_on_every_transport() {
    use mcp_runtime::Limits;
    use mcp_test_support::{Running, Transport};

    let short: fn() -> McpServer = || {
        let mut limits = Limits::default();
        limits.max_line_bytes = Some(200);
        limits.max_body_bytes = Some(200);
        McpServer::new(ServerOptions::default()).tool::<add>().limits(limits)
    };
    let long = json!({"jsonrpc": "2.0", "id": "x".repeat(300), "method": "ping"});
    let running = Running::start(Transport::Stdio, short).await;
    let mut wire = running.connect_as("2025-06-18").await;
    wire.send(&long).await;
    assert_eq!(wire.receive().await["error"]["code"], -32700);
    assert_eq!(wire.result("ping", json!({})).await, json!({}));

    let running = Running::start(Transport::Sse, short).await;
    let stream = mcp_test_support::http::EventStream::open(running.address.unwrap(), "/sse").await;
    let headers = [("Content-Type", "application/json")];
    let body = long.to_string();
    let answer =
        mcp_test_support::http::request(running.address.unwrap(), "POST", &stream.endpoint, &headers, &body).await;
    assert_eq!(answer.status, 413, "{answer:?}");
}

#[mcp_server(name = "half", version = "1", port = 0, endpoint = "/events")]
mod half {
    /// Nothing
    #[mcp_tool]
    fn nothing() {}
}

#[tokio::test]
async fn an_attribute_may_leave_the_transport_to_a_later_layer() {
    use mcp_runtime::config::{Layers, Outcome};

    let error = half::server().start().await.unwrap_err();
    assert!(error.to_string().contains("names no transport"), "{error}");
    // What `run` does with the layers is tested where they are; here it is that options in code decide, too.
    let layers =
        Layers::new(["--transport", "sse"], [("MCP_PORT", "9000")], |_| Err(std::io::ErrorKind::NotFound.into()));
    assert!(matches!(layers.apply(ServerOptions::default()), Ok(Outcome::Serve(_))));
}

#[tokio::test]
async fn names_that_are_taken_twice_are_told_with_both_parts() {
    let check = async |server: McpServer, expected: &str| {
        assert_eq!(server.start().await.unwrap_err().to_string(), expected);
    };
    let new = || McpServer::new(options(json!({"type": "stdio"})));
    let remedy = "rename one (`name = \"…\"`), or mount its server under a prefix with `mount_at`";
    let told = format!("two tools are named `add`: one from the function `add`, one from `sums`; {remedy}");
    check(new().tool::<add>().mount(sums::server {}), &told).await;
    let told = format!("two tools are named `s_add`, both from `sums`; {remedy}");
    check(new().mount_at("s", sums::server()).mount_at("s", sums::server {}), &told).await;
    let made = mcp_runtime::DynamicTool::new("add", "", json!({"type": "object"}), async |_, _| ());
    let told = format!("two tools are named `add`: one from `sums`, one made while the program runs; {remedy}");
    check(new().dynamic_tool(made).mount(sums::server {}), &told).await;
}

#[mcp_server]
mod sums {
    /// Adds
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}
