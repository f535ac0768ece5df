//! The serialised pages of a list, and the cursors between them.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Serialize;

use super::answer::Frame;
use crate::protocol::{Caching, ProtocolVersion, RpcError, adapt::Lower};

/// A page of a list: a `result` and the brace that ends its answer, ready to be sent to whoever asks.
pub(crate) type Page = Arc<[u8]>;

/// A list as one version of the protocol knows it.
#[derive(Debug)]
pub(crate) struct Pages {
    pages: Vec<Page>,
    /// Where each page but the first begins. They hold a digest of the whole list: a cursor into another list, or into
    /// this one before a change, is no cursor.
    cursors: Vec<String>,
}

impl Pages {
    pub(crate) fn new<T: Lower + Serialize>(
        member: &str,
        items: impl Iterator<Item = T>,
        size: usize,
        version: ProtocolVersion,
        frame: &Frame,
        caching: Caching,
    ) -> Self {
        let items: Vec<Vec<u8>> = items
            .filter_map(|mut item| {
                item.lower(version);
                serde_json::to_vec(&item).ok()
            })
            .collect();
        let digest = items.iter().flatten().fold(fnv(member.as_bytes()), |digest, byte| step(digest, *byte));
        let count = items.len().div_ceil(size).max(1);
        let page = |index: usize| {
            let entries = items.get(index * size..items.len().min((index + 1) * size)).unwrap_or_default();
            let mut page = frame.opening(version);
            page.extend(format!(r#""{member}":["#).into_bytes());
            page.extend(entries.join(&b','));
            page.push(b']');
            if index + 1 < count {
                page.extend(format!(r#","nextCursor":"{}""#, cursor(digest, index + 1)).into_bytes());
            }
            if version.has_result_type() {
                // An object of two members, whose brace is the page's.
                let caching = serde_json::to_vec(&caching).unwrap_or_default();
                page.push(b',');
                page.extend(&caching[1..]);
            } else {
                page.push(b'}');
            }
            page.push(b'}');
            page.into()
        };
        let cursors = (1..count).map(|index| cursor(digest, index)).collect();
        Self { pages: (0..count).map(page).collect(), cursors }
    }

    /// The page that `cursor` begins, the first without one.
    ///
    /// # Errors
    /// -32602 where the cursor is none of this list's.
    pub(crate) fn page(&self, asked: Option<&str>) -> Result<&Page, RpcError> {
        let Some(asked) = asked else {
            return Ok(&self.pages[0]);
        };
        self.cursors
            .iter()
            .position(|cursor| cursor == asked)
            .map(|index| &self.pages[index + 1])
            .ok_or_else(|| RpcError::invalid_params("`cursor` is not one that this list gave; begin again without one"))
    }
}

fn cursor(digest: u64, index: usize) -> String {
    let mut bytes = digest.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(index as u64).to_le_bytes());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| step(digest, *byte))
}

fn step(digest: u64, byte: u8) -> u64 {
    (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}
