/// Forecast.
#[mcp_tool]
fn forecast(
    /// The city
    city: String,
    /** Days ahead */
    #[allow(unused)]
    days: u8,
    #[doc = include_str!("unit.md")] unit: Unit,
) {
}
