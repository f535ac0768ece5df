#[mcp_server]
pub(crate) mod api {
    use crate::{client, server};

    /// Who is there.
    #[mcp_tool]
    pub fn who() -> String {
        server::NAME.to_owned()
    }
}
