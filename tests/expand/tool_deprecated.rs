/// Was there before.
#[deprecated = "use `new`"]
#[mcp_tool]
fn old(text: String) {}
