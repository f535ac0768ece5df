//! The listener from outside: raw sockets and hand-written HTTP; and what an application does with the service.

mod client;
mod connections;
mod refusals;
mod service;
mod stopping;
mod streams;
#[cfg(feature = "auth")]
mod ways;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, routing::get};
use mcp_test_schema::Shared;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, oneshot},
    task::JoinHandle,
};

use super::{HttpOptions, Listener, McpService, Sessions, Stop};
use crate::{
    limits::Limits,
    protocol::Implementation,
    server::{
        definition::{Parameter, Tool},
        dispatch::Dispatcher,
        handle::Handle,
        outcome::later,
        registration::Registration,
        seal::Seal,
    },
};
use client::{Connection, Reply, Stream, in_time};

/// The server under test.
struct Server {
    address: SocketAddr,
    /// Its connections are an application's.
    is_mounted: bool,
    clients: Arc<Sessions>,
    fixture: Arc<Fixture>,
    /// What all its clients have said and heard: they speak one version, and each message is held to its schema.
    conversation: Shared,
    /// How far it is on its way to its end.
    way: Arc<Stop>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

struct Fixture {
    /// How many calls of `add` ran.
    added: AtomicUsize,
    /// A permit lets one call of `wait` end.
    release: Semaphore,
}

const ADD: Tool<Fixture> = Tool::new("add", "The sum of two numbers", |fixture, mut call| {
    let returns = call.returns::<i64>();
    let mut arguments = call.arguments(const { &[Parameter::new("a"), Parameter::new("b")] });
    let (a, b) = (arguments.take::<i64, _>(0), arguments.take::<i64, _>(1));
    let (Some(a), Some(b), true) = (a, b, arguments.finish()) else {
        return arguments.refuse();
    };
    fixture.added.fetch_add(1, Ordering::SeqCst);
    returns.now(|| a + b)
});

const BIG: Tool<Fixture> = Tool::new("big", "So many KiB of text", |_, mut call| {
    let returns = call.returns::<String>();
    let mut arguments = call.arguments(const { &[Parameter::new("n")] });
    let (Some(n), true) = (arguments.take::<usize, _>(0), arguments.finish()) else {
        return arguments.refuse();
    };
    returns.now(|| "x".repeat(n * 1024))
});

const WAIT: Tool<Fixture> = Tool::new("wait", "Ends when it is told to", |fixture, mut call| {
    let returns = call.returns::<&'static str>();
    let arguments = call.arguments(&[]);
    if !arguments.finish() {
        return arguments.refuse();
    }
    let fixture = Arc::clone(fixture);
    later(async move {
        fixture.release.acquire().await.unwrap().forget();
        returns.convert("done")
    })
});

impl Server {
    async fn start(change: impl FnOnce(&mut HttpOptions)) -> Self {
        let mut options = HttpOptions::default();
        change(&mut options);
        let fixture = Arc::new(Fixture { added: AtomicUsize::new(0), release: Semaphore::new(0) });
        let dispatcher = dispatcher(&fixture, options.limits.clone());
        let listener = Listener::bind(dispatcher, "127.0.0.1", 0, options).await.unwrap();
        let (address, clients) = (listener.local_addr(), Arc::clone(listener.sessions()));
        let way = Arc::clone(&listener.stop);
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(listener.serve(async {
            drop(stopped.await);
        }));
        let (conversation, stop) = (Shared::default(), Some(stop));
        Self { address, is_mounted: false, clients, fixture, conversation, way, stop, served }
    }

    /// The same in an application that has it for all that is not at `/home`.
    async fn mount(change: impl FnOnce(&mut HttpOptions)) -> Self {
        let mut options = HttpOptions::default();
        change(&mut options);
        let (mcp, fixture) = service(&options).await;
        let (clients, way) = (Arc::clone(mcp.sessions()), Arc::clone(mcp.way()));
        let handle = mcp.handle();
        let app = Router::new().route("/home", get(async || "at home")).fallback_service(mcp);
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = axum::serve(socket, app).with_graceful_shutdown(async move {
            drop(stopped.await);
            handle.shut_down();
        });
        let served = tokio::spawn(async { serving.await.unwrap() });
        let (conversation, stop) = (Shared::default(), Some(stop));
        Self { address, is_mounted: true, clients, fixture, conversation, way, stop, served }
    }

    /// One with a listener of its own, and one in an application.
    async fn each(change: impl Fn(&mut HttpOptions)) -> [Self; 2] {
        [Self::start(&change).await, Self::mount(&change).await]
    }

    async fn limited(change: impl FnOnce(&mut Limits)) -> Self {
        Self::start(|options| change(&mut options.limits)).await
    }

    async fn connect(&self) -> Connection {
        Connection::open(self.address, &self.conversation).await
    }

    /// A connection that has sent this.
    async fn sent(&self, bytes: impl AsRef<[u8]>) -> Connection {
        let mut connection = self.connect().await;
        connection.send(bytes).await;
        connection
    }

    /// The answer to one request on a connection of its own.
    async fn ask(&self, bytes: impl AsRef<[u8]>) -> Reply {
        self.sent(bytes).await.reply().await
    }

    /// Checks that this is refused with that status, and its connection closed.
    async fn refuses(&self, request: impl AsRef<str>, status: u16) {
        let request = request.as_ref();
        let mut connection = self.sent(request).await;
        let reply = connection.reply().await;
        reply.is_refusal(status);
        assert_eq!(reply.header("connection"), Some("close"), "{request:.200}");
        assert!(connection.is_closed().await, "{request:.200}");
    }

    async fn open(&self) -> Stream {
        self.try_open("").await.unwrap()
    }

    async fn try_open(&self, headers: &str) -> Result<Stream, Reply> {
        let mut connection = self.sent(format!("GET /sse HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")).await;
        let head = connection.head().await;
        if head.status != 200 {
            return Err(connection.rest_of(head).await);
        }
        Ok(Stream::begun(connection, head, self.address).await)
    }

    async fn initialized(&self) -> Stream {
        let mut stream = self.open().await;
        let answer = stream.call(&initialize()).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "test", "{answer}");
        stream
    }

    /// Tells the server to stop, without waiting for it.
    fn begin_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    async fn stopped(self) {
        in_time(self.served).await.unwrap();
    }

    /// Waits until the server holds so many streams.
    async fn settles_at(&self, streams: usize) {
        in_time(async {
            while self.clients.count() != streams {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }
}

/// A server for an application.
async fn service(options: &HttpOptions) -> (McpService, Arc<Fixture>) {
    let fixture = Arc::new(Fixture { added: AtomicUsize::new(0), release: Semaphore::new(0) });
    let dispatcher = dispatcher(&fixture, options.limits.clone());
    (McpService::new(dispatcher, Handle::new(), options).await.unwrap(), fixture)
}

fn dispatcher(fixture: &Arc<Fixture>, limits: Limits) -> Arc<Dispatcher> {
    let mut registration = Registration::new();
    for tool in [ADD, BIG, WAIT] {
        registration.add_tool("`Fixture`", fixture, &tool, false);
    }
    let info = Implementation { name: "test".to_owned(), version: "1".to_owned(), ..Implementation::default() };
    let seal = Seal::new(&[], &limits).unwrap();
    Dispatcher::new(registration.build(info, None).unwrap(), limits, seal)
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
}

fn call(id: i64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}
