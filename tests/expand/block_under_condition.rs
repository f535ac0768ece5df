/// Weather.
#[mcp_server]
#[cfg(feature = "weather")]
impl Weather {
    #![allow(clippy::unused_self)]

    const DAYS: u8 = 7;

    type Forecast = String;
}
