#[mcp_resource(
    uri = "data://table",
    name = "table of all",
    title = "Table",
    description = TABLE,
    mime_type = "text/csv",
    size = 3,
    scopes("read"),
    icons = ["data:image/png;base64,AA=="],
    annotations(audience = ["user", "assistant"], priority = 0.5),
    ttl = "5m",
    cache_scope = "private"
)]
fn table() -> &'static str {
    "a,b"
}
