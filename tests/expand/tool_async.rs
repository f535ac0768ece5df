/// Waits for a while.
#[mcp_tool(timeout = "30s")]
async fn wait(context: Context, millis: u64) -> Result<String, ToolError> {
    sleep(millis, context).await
}
