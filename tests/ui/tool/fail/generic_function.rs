use mcp_runtime::prelude::*;

/// Shows.
#[mcp_tool]
fn show<T: ToString>(value: T) -> String {
    value.to_string()
}

fn main() {
    let _: Option<show> = None;
    show(5);
}
