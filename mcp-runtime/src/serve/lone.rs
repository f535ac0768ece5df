//! Lone functions that can be added to a server, one or several.

use std::sync::Arc;

use super::McpServer;
use crate::server::{
    names::Names,
    registry::{PromptItem, ResourceItem, ToolItem},
};

/// Lone tools: the name of a function under `#[mcp_tool]`, or several as a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    label = "not a function under `#[mcp_tool]`",
    note = "name functions that `#[mcp_tool]` stands above: one, or a tuple of up to eight"
)]
pub trait Tools {
    /// The names that they take.
    const NAMES: &'static Names;

    /// Adds them.
    fn add_to(server: McpServer) -> McpServer;
}

/// Lone resources: the name of a function under `#[mcp_resource]`, or several as a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no resource",
    label = "not a function under `#[mcp_resource]`",
    note = "name functions that `#[mcp_resource]` stands above: one, or a tuple of up to eight"
)]
pub trait Resources {
    /// The names that they take.
    const NAMES: &'static Names;

    /// Adds them.
    fn add_to(server: McpServer) -> McpServer;
}

/// Lone prompts: the name of a function under `#[mcp_prompt]`, or several as a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no prompt",
    label = "not a function under `#[mcp_prompt]`",
    note = "name functions that `#[mcp_prompt]` stands above: one, or a tuple of up to eight"
)]
pub trait Prompts {
    /// The names that they take.
    const NAMES: &'static Names;

    /// Adds them.
    fn add_to(server: McpServer) -> McpServer;
}

#[diagnostic::do_not_recommend]
impl<T: ToolItem> Tools for T {
    const NAMES: &'static Names = &Names { tools: &[T::TOOL.spec.name], ..Names::of(T::PART) };

    fn add_to(mut server: McpServer) -> McpServer {
        server.registration.add_tool(T::PART, &Arc::new(()), &T::TOOL, false);
        server
    }
}

#[diagnostic::do_not_recommend]
impl<T: ResourceItem> Resources for T {
    const NAMES: &'static Names =
        &Names { resources: &[T::RESOURCE.spec.name], uris: &[T::RESOURCE.spec.uri], ..Names::of(T::PART) };

    fn add_to(mut server: McpServer) -> McpServer {
        server.registration.add_resource(T::PART, &Arc::new(()), &T::RESOURCE);
        server
    }
}

#[diagnostic::do_not_recommend]
impl<T: PromptItem> Prompts for T {
    const NAMES: &'static Names = &Names { prompts: &[T::PROMPT.spec.name], ..Names::of(T::PART) };

    fn add_to(mut server: McpServer) -> McpServer {
        server.registration.add_prompt(T::PART, &Arc::new(()), &T::PROMPT);
        server
    }
}

macro_rules! tuples {
    ($($items:ident { $(($($item:ident)+))+ })+) => { $($(
        impl<$($item: $items),+> $items for ($($item,)+) {
            const NAMES: &'static Names = &Names { members: &[$($item::NAMES),+], ..Names::of("") };

            fn add_to(server: McpServer) -> McpServer {
                $(let server = $item::add_to(server);)+
                server
            }
        }
    )+)+ };
}
tuples! {
    Tools { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
    Resources { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
    Prompts { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
}
