//! What a token must say: the claims of a JWT, and the members of an introspection answer, by the same rules.

use std::sync::Arc;

use super::{
    clock::system_time,
    json::{Members, Words},
};
use crate::principal::{AuthMethod, OwnerKey, Principal};

/// What tokens must say.
pub(super) struct Rules {
    pub(super) method: AuthMethod,
    pub(super) issuer: Option<Party>,
    pub(super) audience: Option<Audience>,
    /// In seconds.
    pub(super) leeway: f64,
    /// How long after its `exp` a credential still counts: the leeway, unless somebody else keeps the time.
    pub(super) grace: f64,
}

pub(super) struct Party {
    pub(super) name: String,
    pub(super) must_be_there: bool,
}

/// One of these must be meant.
pub(super) struct Audience {
    pub(super) names: Vec<String>,
    pub(super) must_be_there: bool,
}

/// Claims that were found right.
#[derive(Clone)]
pub(super) struct Claims {
    pub(super) principal: Arc<Principal>,
    /// Seconds since 1970 from which they count no more, leeway included.
    pub(super) expires: f64,
}

impl Rules {
    /// Checks claims, which are the object `text`. The error is for the client.
    pub(super) fn check(&self, text: &str, claims: &Members<'_>, now: f64) -> Result<Claims, &'static str> {
        let expires = time(claims, "exp", "`exp` must be a number")?.ok_or("`exp` is missing")? + self.grace;
        if now >= expires {
            return Err("the token has expired");
        }
        if time(claims, "nbf", "`nbf` must be a number")?.is_some_and(|from| now < from - self.leeway) {
            return Err("the token is not valid yet");
        }
        if time(claims, "iat", "`iat` must be a number")?.is_some_and(|issued| now < issued - self.leeway) {
            return Err("the token was issued in the future");
        }
        let issuer = self.issuer(claims)?;
        self.audience(claims)?;
        let string = |name, wrong| claims.get::<String>(name).map_err(|_| wrong);
        let subject = string("sub", "`sub` must be a string")?;
        let client = match string("client_id", "`client_id` must be a string")? {
            Some(client) => Some(client),
            None => string("azp", "`azp` must be a string")?,
        };
        let mut scopes = Vec::new();
        for (name, wrong) in [("scope", "`scope` must be a string"), ("scp", "`scp` must be a string or a list")] {
            let words = claims.get::<Words>(name).map_err(|_| wrong)?;
            scopes.extend(words.map(Words::into_vec).unwrap_or_default());
        }
        let owner = OwnerKey::of_token(self.method, issuer.as_deref(), subject.as_deref(), client.as_deref());
        let principal = Principal {
            method: self.method,
            subject,
            client,
            issuer,
            scopes,
            claims: text.into(),
            expires_at: Some(system_time(expires)),
            owner,
        };
        Ok(Claims { principal: Arc::new(principal), expires })
    }

    fn issuer(&self, claims: &Members<'_>) -> Result<Option<String>, &'static str> {
        let issuer = claims.get::<String>("iss").map_err(|_| "`iss` must be a string")?;
        match (&self.issuer, &issuer) {
            (Some(expected), Some(issuer)) if *issuer != expected.name => Err("the token is of another issuer"),
            (Some(expected), None) if expected.must_be_there => Err("`iss` is missing"),
            // Whoever answered the question is the issuer.
            (Some(expected), None) => Ok(Some(expected.name.clone())),
            _ => Ok(issuer),
        }
    }

    fn audience(&self, claims: &Members<'_>) -> Result<(), &'static str> {
        let audience = claims.get::<Words>("aud").map_err(|_| "`aud` must be a string or a list of strings")?;
        match (&self.audience, audience) {
            (Some(expected), Some(audience)) if !expected.names.iter().any(|name| audience.contains(name)) => {
                Err("the token is for another audience")
            }
            (Some(expected), None) if expected.must_be_there => Err("`aud` is missing"),
            _ => Ok(()),
        }
    }
}

fn time(claims: &Members<'_>, name: &str, wrong: &'static str) -> Result<Option<f64>, &'static str> {
    let time = claims.get::<f64>(name).map_err(|_| wrong)?;
    if time.is_some_and(|time| !time.is_finite()) { Err(wrong) } else { Ok(time) }
}
