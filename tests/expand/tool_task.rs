/// Reports.
#[mcp_tool(task = "required")]
async fn report(context: Context) {}
