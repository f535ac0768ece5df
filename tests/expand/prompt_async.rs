/// Explains.
#[mcp_prompt]
async fn explain(expression: String, level: Option<u8>, context: Context) -> Result<Vec<PromptMessage>, PromptError> {
    explained(expression, level, context).await
}
