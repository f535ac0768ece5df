/// Matches.
#[mcp_tool]
pub(crate) fn r#match(r#type: String, r#in: Context) -> String {
    r#type
}
