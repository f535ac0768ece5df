#[mcp_prompt(name = "ask-for", title = "Ask", description = "Asks", scopes("ask"), icons = ["https://example.com/a.png"])]
fn ask() -> String {
    String::new()
}
