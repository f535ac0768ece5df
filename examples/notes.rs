//! Notes: state behind `&self`, resources over it that can be watched, progress and cancellation.
//!
//! `cargo run --example notes` speaks stdio; `cargo run --example notes -- --transport sse` listens.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use mcp_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Default)]
struct Notes(Mutex<BTreeMap<String, String>>);

/// A note that was added.
#[derive(Serialize, JsonSchema)]
struct Added {
    /// Its title
    title: String,
    /// Where to read it
    uri: String,
}

/// What a search found.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// The titles, in alphabetical order
    titles: Vec<String>,
}

/// Keeps notes while it runs.
#[mcp_server(name = "notes", version = "1.0.0")]
impl Notes {
    /// Adds a note, or replaces the one of that title
    #[mcp_tool(idempotent)]
    fn add_note(
        &self,
        /// The title, at most 100 characters
        #[mcp(min_length = 1, max_length = 100, pattern = "^[^/%]+$")]
        title: String,
        /// The text
        text: String,
        handle: Handle,
    ) -> Json<Added> {
        self.notes().insert(title.clone(), text);
        let uri = format!("notes://{title}");
        // Whoever watches one of them reads it anew.
        handle.resource_updated(&uri);
        handle.resource_updated("notes:///index");
        Json(Added { title, uri })
    }

    /// Finds notes by a part of their title
    #[mcp_tool(read_only)]
    fn search(
        &self,
        /// A part of the title
        query: String,
    ) -> Json<Found> {
        let notes = self.notes();
        let titles = notes.keys().filter(|title| title.contains(&query)).cloned().collect();
        Json(Found { titles })
    }

    /// Removes a note
    #[mcp_tool(destructive = true)]
    fn remove_note(&self, title: String) -> Result<String, ToolError> {
        match self.notes().remove(&title) {
            Some(_) => Ok(format!("removed {title}")),
            None => Err(ToolError::new(format!("there is no note {title}; `search` lists them"))),
        }
    }

    /// Imports many notes, one after the other
    #[mcp_tool]
    async fn import(
        &self,
        context: Context,
        /// How many
        #[mcp(maximum = 10_000)]
        count: u32,
        /// Milliseconds that each takes
        #[mcp(default = 10, maximum = 10_000)]
        delay_ms: u64,
    ) -> String {
        for i in 1..=count {
            self.notes().insert(format!("import-{i}"), format!("imported note {i}"));
            context.progress(i, count).await;
            // A cancelled import is dropped here.
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        }
        format!("imported {count} notes")
    }

    /// The titles of all notes
    #[mcp_resource(uri = "notes:///index", mime_type = "application/json")]
    fn index(&self) -> Json<Vec<String>> {
        Json(self.notes().keys().cloned().collect())
    }

    /// A note's text
    #[mcp_resource(uri = "notes://{title}", mime_type = "text/plain")]
    fn note(&self, title: String) -> Result<String, ResourceError> {
        self.notes().get(&title).cloned().ok_or(ResourceError::NotFound)
    }

    /// Asks for a summary of a note
    #[mcp_prompt]
    fn summarize(&self, title: String) -> Result<String, PromptError> {
        match self.notes().get(&title) {
            Some(text) => Ok(format!("Summarize this note in one sentence.\n\n{title}\n{text}")),
            None => Err(PromptError::invalid_arguments(format!("there is no note {title}"))),
        }
    }

    fn notes(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn server() -> McpServer {
    Notes::default().into_server()
}

fn main() -> Result<(), Error> {
    server().run_blocking()
}

#[cfg(test)]
mod tests {
    use mcp_runtime::testing::TestClient;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn keeps_notes() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let added = client.call("add_note", json!({"title": "milk", "text": "buy some"})).await.unwrap();
        let added: Value = added.structured_content.unwrap().parse().unwrap();
        assert_eq!(added, json!({"title": "milk", "uri": "notes://milk"}));
        let note = client.read("notes://milk").await.unwrap();
        assert_eq!(note.contents[0].as_text(), Some("buy some"));
        let index = client.read("notes:///index").await.unwrap();
        assert_eq!(index.contents[0].as_text(), Some(r#"["milk"]"#));

        let removed = client.call("remove_note", json!({"title": "milk"})).await.unwrap();
        assert_eq!(removed.first_text(), Some("removed milk"));
        assert_eq!(client.read("notes://milk").await.unwrap_err().code, -32002);
    }

    #[tokio::test]
    async fn tells_who_watches() {
        let client = TestClient::connect(super::server()).await.unwrap();
        client.request("resources/subscribe", json!({"uri": "notes://milk"})).await.unwrap();
        client.call("add_note", json!({"title": "milk", "text": "buy some"})).await.unwrap();
        let told = client.notification().await;
        assert_eq!(told.method, "notifications/resources/updated");
        assert_eq!(told.params, json!({"uri": "notes://milk"}));
    }

    #[tokio::test(start_paused = true)]
    async fn imports_with_progress_until_cancelled() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let arguments = json!({"count": 100, "delay_ms": 10});
        let params = json!({"name": "import", "arguments": arguments, "_meta": {"progressToken": "t"}});
        let import = client.start("tools/call", params).await;
        for i in 1..=3 {
            let progress = client.notification().await;
            assert_eq!(progress.params, json!({"progressToken": "t", "progress": i, "total": 100}));
        }
        import.cancel().await;
        // Time for all of it, had it gone on.
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        let found = client.call("search", json!({"query": "import-"})).await.unwrap();
        let found: Value = found.structured_content.unwrap().parse().unwrap();
        assert!(found["titles"].as_array().unwrap().len() < 5, "{found}");
    }
}
