//! What can be done with a server while it serves, from wherever in the program.

use std::{
    convert::Infallible,
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use tokio::sync::watch;

use super::{
    changes::Change,
    context::{Context, FromContext},
    dynamic::DynamicTool,
    error::Error,
    live::Live,
    registry::{Registry, ToolItem},
};

/// What can be done with a server while it serves; clones speak of the same server.
///
/// There is one before it serves ([`McpServer::handle`](crate::McpServer::handle)), one once its transport is open
/// ([`Bound::handle`](crate::Bound::handle)), and one in every call ([`Context::handle`], or a parameter of this type).
/// A change reaches the clients that asked for it, in the way that their version of the protocol has.
///
/// ```
/// use mcp_runtime::{DynamicTool, Handle, prelude::*, testing::TestClient};
/// use serde_json::json;
///
/// /// Learns a word: from then on there is a tool that says it.
/// #[mcp_tool]
/// fn learn(word: String, handle: Handle) -> Result<(), Error> {
///     let description = format!("Says {word}");
///     handle.add_dynamic_tool(DynamicTool::new(&word, description, json!({"type": "object"}), {
///         let word = word.clone();
///         move |_, _| std::future::ready(word.clone())
///     }))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # mcp_test_schema::test_client!();
/// let client = TestClient::connect(McpServer::new(ServerOptions::default()).tool::<learn>()).await?;
/// client.call("learn", json!({"word": "hello"})).await?;
/// assert_eq!(client.call("hello", json!({})).await?.first_text(), Some("hello"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Handle(Arc<Inner>);

/// Nothing here keeps the server: what the server keeps may keep a handle.
struct Inner {
    stop: watch::Sender<bool>,
    live: OnceLock<Weak<Live>>,
    /// The handle of the server that this one was mounted on.
    mounted_on: OnceLock<Handle>,
    count_sessions: OnceLock<Box<dyn Fn() -> usize + Send + Sync>>,
}

impl Handle {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            stop: watch::Sender::new(false),
            live: OnceLock::new(),
            mounted_on: OnceLock::new(),
            count_sessions: OnceLock::new(),
        }))
    }

    /// How many sessions there are: those of the listener that are open now; stdio has one for its whole life.
    pub fn sessions(&self) -> usize {
        self.root().count_sessions.get().map_or(1, |count| count())
    }

    /// Ends serving: nothing new is accepted, streams end, calls in flight get `shutdownGraceSeconds`.
    pub fn shut_down(&self) {
        let root = self.root();
        root.stop.send_replace(true);
        if let Some(live) = root.live() {
            live.bus.close();
        }
    }

    /// Tells clients that the list of tools has changed. What adds or removes a tool tells it by itself.
    pub fn tools_changed(&self) {
        self.publish(Change::Tools);
    }

    /// Tells clients that the list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.publish(Change::Prompts);
    }

    /// Tells clients that the list of resources, or that of templates, has changed.
    pub fn resources_changed(&self) {
        self.publish(Change::Resources);
    }

    /// Tells the clients that watch the resource of exactly this URI that its contents have changed.
    pub fn resource_updated(&self, uri: impl AsRef<str>) {
        self.publish(Change::ResourceUpdated(uri.as_ref()));
    }

    /// Adds a lone tool: the name of a function under `#[mcp_tool]`. Calls under way go on with what they had.
    ///
    /// # Errors
    /// Where the tool cannot be served, or its name is taken: the same as at start. [`Error::NotServing`] before the
    /// server has started, and once it is gone.
    pub fn add_tool<T: ToolItem>(&self) -> Result<(), Error> {
        self.live()?.change_tools(Registry::with_tool::<T>)
    }

    /// Adds a tool that was made while the program runs.
    ///
    /// # Errors
    /// As [`Handle::add_tool`].
    pub fn add_dynamic_tool(&self, tool: DynamicTool) -> Result<(), Error> {
        self.live()?.change_tools(|registry| registry.with_dynamic_tool(tool))
    }

    /// Removes the tool of that name, however it came. Calls of it that are under way go on.
    ///
    /// # Errors
    /// [`Error::NoSuchTool`] where there is none; [`Error::NotServing`] as [`Handle::add_tool`].
    pub fn remove_tool(&self, name: &str) -> Result<(), Error> {
        let missing = || Error::NoSuchTool { name: name.to_owned() };
        self.live()?.change_tools(|registry| registry.without_tool(name).ok_or_else(missing))
    }

    /// The server is there.
    pub(crate) fn start(&self, live: &Arc<Live>) {
        // A server starts once.
        let _ = self.0.live.set(Arc::downgrade(live));
    }

    /// Sessions are counted so.
    #[cfg(feature = "http")]
    pub(crate) fn count_sessions(&self, count: impl Fn() -> usize + Send + Sync + 'static) {
        let _ = self.0.count_sessions.set(Box::new(count));
    }

    /// From now on this speaks of the server that `other` speaks of.
    pub(crate) fn mount_on(&self, other: &Self) {
        // A server is mounted by value, and so once.
        let _ = self.0.mounted_on.set(other.clone());
    }

    /// Resolves when serving is to end.
    pub(crate) fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopped = self.root().stop.subscribe();
        async move {
            // An error means that no handle is left which could stop it.
            if stopped.wait_for(|stop| *stop).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Nobody is there to be told before the server has started, and once it is gone.
    fn publish(&self, change: Change<'_>) {
        if let Some(live) = self.root().live() {
            live.bus.publish(change);
        }
    }

    fn live(&self) -> Result<Arc<Live>, Error> {
        self.root().live().ok_or(Error::NotServing)
    }

    fn root(&self) -> &Inner {
        let mut inner = &*self.0;
        while let Some(above) = inner.mounted_on.get() {
            inner = &above.0;
        }
        inner
    }
}

impl Inner {
    fn live(&self) -> Option<Arc<Live>> {
        self.live.get()?.upgrade()
    }
}

impl FromContext for Handle {
    type Error = Infallible;

    fn from_context(context: &Context) -> Result<Self, Infallible> {
        Ok(context.handle())
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("sessions", &self.sessions()).finish_non_exhaustive()
    }
}
