use mcp_runtime::prelude::*;

use std::rc::Rc;

/// Waits.
#[mcp_tool]
async fn wait() -> String {
    let text = Rc::new(String::new());
    std::future::ready(()).await;
    text.to_string()
}

fn main() {}
