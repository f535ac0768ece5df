#[mcp_tool(
    name = "sum",
    title = "Sum",
    description = "Adds two numbers.",
    read_only,
    destructive = false,
    idempotent,
    open_world = false,
    scopes("math:read", "math:write"),
    icons = ["https://example.com/sum.png"],
    output_schema = false,
    input_schema = json!({ "type": "object" }),
    timeout = "2m",
    task,
    blocking,
    strict,
    ttl = "1h",
    cache_scope = "public"
)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}
