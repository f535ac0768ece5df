//! Drives a server with rmcp's client, as ../typescript/drive-rmcp.mjs says, in lines of JSON.
//!
//!     drive-rmcp --mode legacy|auto|VERSION (--stdio BINARY | --http URL [--header NAME=VALUE])
//!
//! It begins with what was agreed on, `{"agreed", "name", "version"}`, or with `{"refused", "challenge"}`. A request is
//! `{"id", "do", "params"}`, to be taken back by `{"cancel": id}`; its answer has a `result`, an `error` or, where rmcp
//! made no sense of it, a `fault`. Beside them comes `{"progress"}`, and `{"asked"}`, which wants an `{"answer"}`.

use std::{collections::HashMap, error::Error, sync::Arc};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ClientRequest, ElicitRequestParams, ElicitResult, ErrorData, Implementation,
        PingRequest, ProgressNotificationParam, ProtocolVersion,
    },
    service::{NotificationContext, RequestContext, RunningService, ServiceError},
    transport::{
        IntoTransport, StreamableHttpClientTransport, TokioChildProcess,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, from_value, json, to_value};
use tokio::{
    io::{AsyncBufReadExt, BufReader, stdin},
    sync::{Mutex, mpsc},
    task::JoinHandle,
};

struct Host(Mutex<mpsc::UnboundedReceiver<ElicitResult>>);

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(Default::default());
        ClientConfig::new(capabilities, Implementation::new("drive-rmcp", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        say(&json!({ "asked": request }));
        self.0.lock().await.recv().await.ok_or_else(|| ErrorData::internal_error("the user is gone", None))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        say(&json!({ "progress": [params.progress, params.total] }));
    }
}

fn say(line: &Value) {
    println!("{line}");
}

type Client = RunningService<RoleClient, Host>;

// Each notification is a task of its own to rmcp: on one thread they stay in order.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut options = HashMap::new();
    let mut args = std::env::args().skip(1);
    while let (Some(key), Some(value)) = (args.next(), args.next()) {
        options.insert(key, value);
    }
    let option = |key: &str| options.get(key).cloned();
    let mode = option("--mode").unwrap_or_default();
    if let Some(binary) = option("--stdio") {
        return drive(TokioChildProcess::new(tokio::process::Command::new(binary))?, &mode).await;
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(option("--http").ok_or("--stdio or --http?")?);
    if let Some((name, value)) = option("--header").as_deref().and_then(|header| header.split_once('=')) {
        config = config.custom_headers(HashMap::from([(name.parse()?, value.parse()?)]));
    }
    drive(StreamableHttpClientTransport::from_config(config), &mode).await
}

async fn drive<T, E, A>(transport: T, mode: &str) -> Result<(), Box<dyn Error>>
where
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
{
    let lifecycle = match mode {
        "legacy" => ClientLifecycleMode::Initialize,
        "auto" => ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::LATEST], legacy_version: None },
        version => ClientLifecycleMode::Discover { preferred_versions: vec![from_value(json!(version))?] },
    };
    let (answers, host) = mpsc::unbounded_channel();
    let client = match Host(Mutex::new(host)).serve_with_lifecycle(transport, lifecycle).await {
        Ok(client) => Arc::new(client),
        Err(error) => {
            say(&json!({ "refused": error.to_string(), "challenge": error.auth_challenge() }));
            return Ok(());
        }
    };
    let peer = client.peer_info().ok_or("it agreed on nothing")?;
    let name = peer.server_info.as_ref();
    say(&json!({
        "agreed": peer.protocol_version,
        "name": name.map(|info| &info.name),
        "version": name.map(|info| &info.version),
    }));
    let mut running = HashMap::<u64, JoinHandle<()>>::new();
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let mut line: Value = serde_json::from_str(&line)?;
        if let Some(id) = line["cancel"].as_u64() {
            // A call that is dropped is cancelled.
            if let Some(task) = running.remove(&id) {
                task.abort();
            }
            continue;
        }
        if line["answer"].is_object() {
            answers.send(from_value(line["answer"].take())?)?;
            continue;
        }
        let id = line["id"].as_u64().ok_or("a request without an id")?;
        let client = client.clone();
        running.insert(
            id,
            tokio::spawn(async move {
                let method = line["do"].as_str().unwrap_or_default().to_owned();
                say(&match ask(&client, &method, line["params"].take()).await {
                    Ok(result) => json!({ "id": id, "result": result }),
                    Err(Fault::Told(error)) => json!({ "id": id, "error": error }),
                    Err(Fault::Own(fault)) => json!({ "id": id, "fault": fault }),
                });
            }),
        );
    }
    for task in running.into_values() {
        let _ = task.await;
    }
    let client = Arc::into_inner(client).ok_or("a request is still there")?;
    client.cancel().await?;
    Ok(())
}

enum Fault {
    Told(ErrorData),
    Own(String),
}

impl From<ServiceError> for Fault {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::Told(error),
            error => Self::Own(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Own(error.to_string())
    }
}

async fn ask(client: &Client, method: &str, params: Value) -> Result<Value, Fault> {
    Ok(match method {
        "ping" => to_value(client.send_request(ClientRequest::PingRequest(PingRequest::default())).await?)?,
        "tools/list" => to_value(client.list_tools(from_value(params)?).await?)?,
        "tools/call" => to_value(client.call_tool(from_value(params)?).await?)?,
        "resources/list" => to_value(client.list_resources(from_value(params)?).await?)?,
        "resources/templates/list" => to_value(client.list_resource_templates(from_value(params)?).await?)?,
        "resources/read" => to_value(client.read_resource(from_value(params)?).await?)?,
        "prompts/list" => to_value(client.list_prompts(from_value(params)?).await?)?,
        "prompts/get" => to_value(client.get_prompt(from_value(params)?).await?)?,
        _ => return Err(Fault::Own(format!("{method} is not driven"))),
    })
}
