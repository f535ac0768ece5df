use mcp_runtime::prelude::*;

#[mcp_server]
mod first {
    #[mcp_resource(uri = "math://pi")]
    fn pi() -> String {
        "3.14".to_owned()
    }
}

#[mcp_server]
mod second {
    #[mcp_resource(uri = "math://pi")]
    fn exact() -> String {
        "3.14159".to_owned()
    }
}

fn main() {
    let _server = McpServer::default().mount((first::server {}, second::server {}));
}
