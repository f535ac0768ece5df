/// Takes all sorts.
#[mcp_tool]
fn take(
    #[mcp(name = "daysAhead", description = "Days", default = 3, minimum = 1, maximum = 7, header = "Days")] days: u8,
    #[mcp(default = -5, exclusive_minimum = -10, exclusive_maximum = 1e3)] offset: i64,
    #[mcp(default = 3)] ratio: f32,
    #[mcp(default = far())] distance: f64,
    #[mcp(default = "a\"b", min_length = 1, max_length = 9, pattern = ".", format = "hostname")] host: String,
    #[mcp(default)] unit: Unit,
    #[mcp(min_items = 1, max_items = 3)] mut r#type: Vec<String>,
    #[mcp(flatten)] page: Page,
) {
}
