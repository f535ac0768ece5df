use mcp_runtime::prelude::*;

struct Store<T>(T);

#[mcp_server]
impl<T: Send + Sync + 'static> Iterator for Store<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        None
    }
}

fn main() {
    let _ = Store(5).into_server();
}
