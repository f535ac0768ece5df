//! Asks its client: the user by a form and by a page, the model, the roots. It is written once for all versions of the
//! protocol: where a server may send requests these are requests, elsewhere the client comes back with the answers.

use mcp_runtime::{AskError, prelude::*, protocol::CreateMessageRequestParams};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a table needs.
#[derive(Deserialize, JsonSchema)]
struct Booking {
    /// How many will come
    #[schemars(range(min = 1, max = 8))]
    guests: u8,
    /// Where to sit
    #[serde(default)]
    place: Place,
}

#[derive(Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Place {
    /// Where it is warm
    #[default]
    Inside,
    /// Where the view is
    Terrace,
}

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
}

#[mcp_server(name = "ask", version = "1.0.0")]
mod tables {
    use super::*;

    /// Books a table, after the user has said for how many
    #[mcp_tool]
    async fn book(
        context: Context,
        /// The restaurant
        at: String,
    ) -> Result<String, ToolError> {
        let booking = match context.elicit::<Booking>(format!("A table at {at}")).key("booking").await {
            Ok(Elicited::Accepted(booking)) => booking,
            Ok(Elicited::Declined | Elicited::Cancelled) => return Ok("nothing was booked".to_owned()),
            // A client that cannot ask its user gets a table for two.
            Err(AskError::Unsupported(_)) => Booking { guests: 2, place: Place::Inside },
            Err(error) => return Err(error.into()),
        };
        let place = match booking.place {
            Place::Inside => "inside",
            Place::Terrace => "on the terrace",
        };
        Ok(format!("a table for {} {place}, at {at}", booking.guests))
    }

    /// Writes to a restaurant, in the words of the client's model
    #[mcp_tool]
    async fn write(context: Context, to: String) -> Result<String, ToolError> {
        let question = CreateMessageRequestParams::new(format!("Ask {to} for a table, in one sentence."), 100);
        let letter = context.sample(question).await?;
        Ok(format!("To {to}: {}", letter.first_text().unwrap_or("(nothing)")))
    }

    /// Books at a restaurant that wants its guests to sign in
    #[mcp_tool]
    async fn book_with_account(context: Context) -> Result<&'static str, ToolError> {
        match context.elicit_url("Sign in at the restaurant.", "https://example.com/sign-in").await? {
            Elicited::Accepted(()) => Ok("signing in"),
            Elicited::Declined | Elicited::Cancelled => Ok("nothing was booked"),
        }
    }

    /// A letter of thanks
    #[mcp_prompt]
    async fn thanks(context: Context) -> Result<String, PromptError> {
        let person = context.elicit::<Person>("Who thanks?").key("person").await?;
        Ok(format!("Write a letter of thanks from {}.", person.accepted().map_or("a guest".into(), |it| it.name)))
    }

    /// Where the client keeps its menus
    #[mcp_resource(uri = "tables://menus", mime_type = "text/plain")]
    async fn menus(context: Context) -> Result<String, ResourceError> {
        let roots = context.roots().await?;
        Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join("\n"))
    }
}

pub(crate) fn server() -> McpServer {
    tables::server()
}

fn main() -> Result<(), Error> {
    server().run_blocking()
}

#[cfg(test)]
mod tests {
    use mcp_runtime::{
        protocol::{CreateMessageResult, ElicitAction, ElicitResult, ProtocolVersion, Root},
        testing::{TestClient, TestClientBuilder},
    };
    use serde_json::json;

    fn client(version: ProtocolVersion) -> TestClientBuilder {
        TestClient::of(super::server()).version(version)
    }

    #[tokio::test]
    async fn asks_the_user() {
        for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28] {
            let answer = |_| ElicitResult::accept(json!({"guests": 3, "place": "terrace"}));
            let client = client(version).on_elicit(answer).connect().await.unwrap();
            let result = client.call("book", json!({"at": "Rita's"})).await.unwrap();
            assert_eq!(result.first_text(), Some("a table for 3 on the terrace, at Rita's"), "{version}");
        }
    }

    #[tokio::test]
    async fn does_without_a_user() {
        for version in ProtocolVersion::ALL {
            let nobody = client(version).connect().await.unwrap();
            let result = nobody.call("book", json!({"at": "Rita's"})).await.unwrap();
            assert_eq!(result.first_text(), Some("a table for 2 inside, at Rita's"), "{version}");
        }
        let version = ProtocolVersion::V2026_07_28;
        let unwilling = client(version).on_elicit(|_| ElicitResult::of(ElicitAction::Decline)).connect().await.unwrap();
        let result = unwilling.call("book", json!({"at": "Rita's"})).await.unwrap();
        assert_eq!(result.first_text(), Some("nothing was booked"));
    }

    #[tokio::test]
    async fn asks_the_model_and_for_roots_at_every_version() {
        for version in ProtocolVersion::ALL {
            let client = client(version)
                .on_sample(|_| CreateMessageResult::new("A table, please.", "test-model"))
                .on_roots(|| vec![Root::new("file:///menus"), Root::new("file:///more")])
                .connect()
                .await
                .unwrap();
            let result = client.call("write", json!({"to": "Rita's"})).await.unwrap();
            assert_eq!(result.first_text(), Some("To Rita's: A table, please."), "{version}");
            let menus = client.read("tables://menus").await.unwrap();
            assert_eq!(menus.contents[0].as_text(), Some("file:///menus\nfile:///more"), "{version}");
        }
    }
}
