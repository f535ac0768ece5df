//! `cfg` and `cfg_attr` inside of blocks and modules.
#![deny(warnings)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Never there.
    #[cfg(any())]
    #[mcp_tool]
    fn never(&self, argument: NoSuchType) {}

    /// One of two.
    #[cfg(all())]
    #[mcp_tool]
    fn forecast(&self, city: String) -> String {
        city
    }

    /// The other of two.
    #[cfg(not(all()))]
    #[mcp_tool]
    fn forecast(&self, city: NoSuchType) -> String {
        city
    }

    /// A tool under a condition, and a function always.
    #[cfg_attr(any(), mcp_tool(read_only))]
    fn helper(&self, #[mcp(minimum = 1)] days: u8) -> u8 {
        days
    }

    #[cfg(any())]
    #[mcp_resource(uri = "weather://never")]
    fn never_read(&self, context: Context) -> NoSuchType {}

    #[cfg(all())]
    #[mcp_resource(uri = "weather://always")]
    fn always_read(&self, _context: Context) -> String {
        String::new()
    }

    /// A tool one way or the other.
    #[cfg_attr(all(), mcp_tool(read_only), inline)]
    #[cfg_attr(not(all()), mcp_tool(destructive = true))]
    fn either(&self) {}
}

#[mcp_server]
mod calculator {
    /// Never there.
    #[cfg(any())]
    #[mcp_tool]
    fn never(argument: NoSuchType) {}

    /// A tool under a condition.
    #[cfg_attr(all(), mcp_tool)]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    assert_eq!(Weather.forecast("Paris".to_owned()), "Paris");
    assert_eq!(Weather.helper(5), 5);
    Weather.either();
    assert_eq!(calculator::add(1, 2), 3);
    let _ = (Weather.into_server(), calculator::server());
}
