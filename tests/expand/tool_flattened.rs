/// Shows a page.
#[mcp_tool]
fn show(name: String, #[mcp(flatten)] page: Page) -> Json<Page> {
    Json(page)
}
