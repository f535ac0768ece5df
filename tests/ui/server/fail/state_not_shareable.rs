use mcp_runtime::prelude::*;

struct Weather {
    calls: std::rc::Rc<std::cell::Cell<u32>>,
}

#[mcp_server]
impl Weather {
    /// How often it was called.
    #[mcp_tool]
    fn count(&self) -> u32 {
        self.calls.get()
    }

    /// How often it was called, later.
    #[mcp_tool]
    async fn count_later(&self) -> u32 {
        self.calls.get()
    }
}

fn main() {}
