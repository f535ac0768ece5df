/// Shows.
#[mcp_tool]
fn show(
    #[mcp(default)] own: Vec<u8>,
    #[mcp(default = DAYS)] constant: u8,
    #[mcp(default = tags())] call: Vec<String>,
    #[mcp(default = 2)] float: f64,
    #[mcp(default = -0.5)] negative: f32,
    #[mcp(default = "text")] text: String,
    #[mcp(default = Some(3))] some: Option<u8>,
) {
}
