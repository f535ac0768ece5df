//! Protected-resource metadata (RFC 9728): which provider's tokens an endpoint takes.

use serde_json::json;

use super::{Document, Site, options::OAuthOptions};

/// The documents of a site, and what challenges say of them.
pub(super) struct Metadata {
    pub(super) documents: Vec<Document>,
    /// Each endpoint's path, and the URL of the document that is for its clients.
    urls: Vec<(String, String)>,
}

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

impl Metadata {
    pub(super) fn new(options: &OAuthOptions, site: &Site) -> Self {
        let base = site.base();
        let mut documents = Vec::new();
        let mut urls = Vec::new();
        let primary = site.endpoints.first();
        let public = |endpoint: &str| format!("{WELL_KNOWN}{}{endpoint}", base.path);
        // One endpoint's path may be another's behind the public URL, by which clients ask.
        let is_public = |path: &str| site.endpoints.iter().any(|other| public(other) == path);
        for endpoint in &site.endpoints {
            let mut paths = vec![public(endpoint)];
            // A proxy may hand the path on without what only the public URL has.
            let own = format!("{WELL_KNOWN}{endpoint}");
            if !is_public(&own) {
                paths.insert(0, own);
            }
            if Some(endpoint) == primary {
                paths.push(WELL_KNOWN.to_owned());
            }
            let mut document = json!({
                "resource": site.url_of(endpoint),
                "authorization_servers": [options.issuer_url],
                "bearer_methods_supported": ["header"],
            });
            if !options.scopes.is_empty() {
                document["scopes_supported"] = json!(options.scopes);
            }
            documents.push(Document { paths, body: document.to_string() });
            // Messages are sent by a client that knows the server by the URL of its event stream.
            let named = match (&site.message_endpoint, primary) {
                (Some(messages), Some(primary)) if messages == endpoint => primary,
                _ => endpoint,
            };
            urls.push((endpoint.clone(), format!("{}{WELL_KNOWN}{}{named}", base.origin, base.path)));
        }
        Self { documents, urls }
    }

    /// The URL of the document for clients of a path; of the first endpoint's for a path that is none.
    pub(super) fn url_for(&self, path: &str) -> Option<&str> {
        let own = self.urls.iter().find(|(endpoint, _)| endpoint == path);
        own.or(self.urls.first()).map(|(_, url)| url.as_str())
    }
}
