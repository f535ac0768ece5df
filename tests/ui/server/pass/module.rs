//! A module with everything in it; nothing needs an import.
#![deny(warnings, missing_docs)]

/// Calculates.
#[mcp_runtime::mcp_server(instructions = "Ask it sums.")]
mod calculator {
    //! Inner docs, too.

    use std::ops::Add;

    macro_rules! sum {
        ($a:expr, $b:expr) => {
            Add::add($a, $b)
        };
    }

    /// Adds two numbers.
    #[mcp_tool]
    pub(crate) fn add(
        /// The first.
        a: i64,
        #[mcp(description = "The second")] b: i64,
    ) -> i64 {
        sum!(a, b)
    }

    #[mcp_resource(uri = "calc://pi")]
    pub(crate) fn pi() -> String {
        text(std::f64::consts::PI)
    }

    #[mcp_prompt]
    pub(crate) async fn explain(expression: String) -> String {
        expression
    }

    fn text(number: f64) -> String {
        number.to_string()
    }

    pub(crate) mod nested {
        use mcp_runtime::mcp_tool;

        /// Subtracts two numbers.
        #[mcp_tool]
        pub(crate) fn subtract(a: i64, b: i64) -> i64 {
            a - b
        }
    }
}

fn main() {
    assert_eq!(calculator::add(1, 2), 3);
    assert!(calculator::pi().starts_with("3.14159"));
    assert_eq!(calculator::nested::subtract(3, 2), 1);
    let _ = calculator::explain;
    let _server = calculator::server().tool::<calculator::nested::subtract>();
}
