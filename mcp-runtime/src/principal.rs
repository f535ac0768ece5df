//! Who a request comes from (floor 0: shared by every floor above).

use std::{fmt, sync::Arc, time::SystemTime};

use serde::de::DeserializeOwned;

/// Who a request comes from, once its credential was found right.
///
/// It holds what the credential says, never the credential itself.
#[derive(Clone, PartialEq)]
pub struct Principal {
    pub(crate) method: AuthMethod,
    pub(crate) subject: Option<String>,
    pub(crate) client: Option<String>,
    pub(crate) issuer: Option<String>,
    pub(crate) scopes: Vec<String>,
    /// A JSON object.
    pub(crate) claims: Box<str>,
    pub(crate) expires_at: Option<SystemTime>,
    pub(crate) owner: OwnerKey,
}

/// The way in which a principal was authenticated.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum AuthMethod {
    /// `jwt`: a bearer token that the server verified by itself.
    Jwt,
    /// `apikey`: a key from a list.
    ApiKey,
    /// `oauth`: an access token of an OAuth 2.1 provider.
    OAuth,
}

/// What decides whether two credentials belong to one owner: a session serves nobody else.
///
/// For tokens it is method, issuer, subject and client, so that a renewed token stays the same owner; for an API key it
/// is the key's id, or else its place in the list.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct OwnerKey(Arc<str>);

impl Principal {
    /// How it was authenticated.
    pub fn method(&self) -> AuthMethod {
        self.method
    }

    /// Whom the credential stands for: a token's `sub`, or the id of an API key that has one.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// The client that the token was given to: its `client_id`, or else `azp`.
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    /// Who issued the token: its `iss`.
    pub fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// What the credential is good for, word by word.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether the credential has that scope, as a whole word.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| own == scope)
    }

    /// All that the token says, as a type of yours. An API key says nothing: its claims are an empty object.
    ///
    /// # Errors
    /// When the claims do not fit the type.
    pub fn claims<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.claims)
    }

    /// The time from which the credential is refused, leeway included; `None` if it lasts.
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.expires_at
    }

    /// What sessions, streams and pending requests belong to.
    pub fn owner(&self) -> &OwnerKey {
        &self.owner
    }
}

impl fmt::Debug for Principal {
    // Without the claims: what a provider puts there is nobody else's affair.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("method", &self.method)
            .field("subject", &self.subject)
            .field("client", &self.client)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

impl AuthMethod {
    /// The word in the options: `jwt`, `apikey`, `oauth`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jwt => "jwt",
            Self::ApiKey => "apikey",
            Self::OAuth => "oauth",
        }
    }
}

impl fmt::Display for AuthMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(feature = "auth")]
impl OwnerKey {
    /// The owner of a token.
    pub(crate) fn of_token(
        method: AuthMethod,
        issuer: Option<&str>,
        subject: Option<&str>,
        client: Option<&str>,
    ) -> Self {
        // As JSON, so that no part can pose as two.
        Self(serde_json::json!([method.as_str(), issuer, subject, client]).to_string().into())
    }

    /// The owner of an API key: its id, or else its place in the list.
    pub(crate) fn of_key(id: Option<&str>, index: usize) -> Self {
        let key = match id {
            Some(id) => serde_json::json!(["apikey", id]),
            None => serde_json::json!(["apikey", index]),
        };
        Self(key.to_string().into())
    }
}

impl OwnerKey {
    #[cfg(test)]
    pub(crate) fn of_test(name: &str) -> Self {
        Self(name.into())
    }

    /// The key as text, for a store outside of the process.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(feature = "auth")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_method_issuer_subject_and_client() {
        let token = |issuer, subject, client| OwnerKey::of_token(AuthMethod::Jwt, issuer, subject, client);
        let one = token(Some("i"), Some("s"), Some("c"));
        assert_eq!(one, token(Some("i"), Some("s"), Some("c")));
        for other in [
            OwnerKey::of_token(AuthMethod::OAuth, Some("i"), Some("s"), Some("c")),
            token(Some("j"), Some("s"), Some("c")),
            token(Some("i"), Some("t"), Some("c")),
            token(Some("i"), Some("s"), Some("d")),
            token(None, Some("s"), Some("c")),
            token(Some("i\",\"s"), Some("c"), None),
            OwnerKey::of_key(Some("s"), 0),
            OwnerKey::of_key(None, 0),
        ] {
            assert_ne!(one, other);
        }
        assert_ne!(OwnerKey::of_key(Some("1"), 0), OwnerKey::of_key(None, 1));
        assert_eq!(OwnerKey::of_key(Some("a"), 0), OwnerKey::of_key(Some("a"), 1));
        assert_eq!(one.as_str(), r#"["jwt","i","s","c"]"#);
    }

    #[test]
    fn claims_become_a_type_and_stay_out_of_debug() {
        let principal = Principal {
            method: AuthMethod::Jwt,
            subject: Some("s".into()),
            client: None,
            issuer: None,
            scopes: vec!["read".into()],
            claims: r#"{"tenant":"hidden"}"#.into(),
            expires_at: None,
            owner: OwnerKey::of_key(None, 0),
        };
        #[derive(serde::Deserialize)]
        struct Claims {
            tenant: String,
        }
        assert_eq!(principal.claims::<Claims>().unwrap().tenant, "hidden");
        assert!(principal.has_scope("read") && !principal.has_scope("rea"));
        assert!(!format!("{principal:?}").contains("hidden"));
    }
}
