//! What can be mounted on a server, one or several.

use super::McpServer;
use crate::server::names::Names;

/// What can be mounted on a server: a server, the type of a block under `#[mcp_server]`, the `server {}` of a module
/// under it, and tuples of these.
///
/// The macros implement it, and nothing else needs to. What a tuple mounts is known to the compiler, which refuses names
/// that are taken twice; what is mounted one after the other is checked when the server starts.
///
/// ```
/// use mcp_runtime::{prelude::*, testing::TestClient};
///
/// struct Counter(u32);
///
/// #[mcp_server]
/// impl Counter {
///     /// The count
///     #[mcp_tool]
///     fn count(&self) -> u32 {
///         self.0
///     }
/// }
///
/// #[mcp_server]
/// mod sums {
///     /// Adds two numbers
///     #[mcp_tool]
///     fn add(a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = McpServer::new(ServerOptions::new("both", "1.0.0")).mount((Counter(5), sums::server {}));
/// assert_eq!(TestClient::connect(server).await?.list_tools().await?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// Two tools of one name do not compile:
///
/// ```compile_fail,E0080
/// use mcp_runtime::prelude::*;
///
/// #[mcp_server]
/// mod sums {
///     /// Adds two numbers
///     #[mcp_tool]
///     fn add(a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// #[mcp_server]
/// mod lists {
///     /// Adds a line
///     #[mcp_tool]
///     fn add(line: String) {}
/// }
///
/// // error: two tools are named `add`: one from `sums`, one from `lists`; …
/// let server = McpServer::new(ServerOptions::default()).mount((sums::server {}, lists::server {}));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be mounted on a server",
    label = "neither a server nor a part of one",
    note = "mount an `McpServer`, a value whose `impl` block is under `#[mcp_server]`, the `server {{}}` of a module under it, or a tuple of up to eight of these"
)]
pub trait Part: Sized {
    /// What it is called, and the names that it takes.
    #[doc(hidden)]
    const NAMES: &'static Names;

    /// The server that it makes by itself.
    fn into_server(self) -> McpServer {
        self.assemble::<()>()
    }

    /// The same, as generated code has it.
    ///
    /// `M` is nothing but generic: what is generic is compiled apart from its crate's other functions, so that an edit of
    /// one of those compiles none of the tables again.
    #[doc(hidden)]
    fn assemble<M>(self) -> McpServer;

    /// Adds all that it offers to a server, under a prefix or by the names it has.
    #[doc(hidden)]
    fn mount_on(self, mut server: McpServer, prefix: Option<&str>) -> McpServer {
        let part = self.into_server();
        server.fault = server.fault.or(part.fault);
        part.handle.mount_on(&server.handle);
        server.registration.mount(prefix, part.registration);
        server
    }
}

impl Part for McpServer {
    const NAMES: &'static Names = Names::UNKNOWN;

    fn assemble<M>(self) -> McpServer {
        self
    }
}

macro_rules! tuples {
    ($(($($part:ident)+))+) => { $(
        impl<$($part: Part),+> Part for ($($part,)+) {
            const NAMES: &'static Names = &Names { members: &[$($part::NAMES),+], ..Names::of("") };

            fn assemble<M>(self) -> McpServer {
                McpServer::default().mount(self)
            }

            #[allow(non_snake_case, reason = "each value is named like its type")]
            fn mount_on(self, server: McpServer, prefix: Option<&str>) -> McpServer {
                let ($($part,)+) = self;
                $(let server = $part.mount_on(server, prefix);)+
                server
            }
        }
    )+ };
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
