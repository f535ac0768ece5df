//! Mistakes: collected, put into source order, told all at once; and the nearest name to a misspelt one.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All that is wrong with an item.
#[derive(Default)]
pub(crate) struct Errors(Vec<Mistake>);

struct Mistake {
    error: syn::Error,
    /// `#[cfg(…)]` of what is wrong: it is told where that is there.
    cfgs: TokenStream,
}

impl Errors {
    /// A mistake at one token.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.syntax(syn::Error::new(span, message));
    }

    /// A mistake that reaches over several tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.syntax(syn::Error::new_spanned(tokens, message));
    }

    /// What the parser found.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.0.push(Mistake { error, cfgs: TokenStream::new() });
    }

    /// Takes over the mistakes of a part.
    pub(crate) fn absorb(&mut self, part: Self) {
        self.0.extend(part.0);
    }

    /// Takes over the mistakes of a part that is there under these `#[cfg(…)]` only.
    pub(crate) fn absorb_under<T: ToTokens>(&mut self, cfgs: &[T], part: Self) {
        self.0.extend(part.0.into_iter().map(|Mistake { error, cfgs: inner }| {
            let cfgs = cfgs.iter().map(ToTokens::into_token_stream).chain([inner]).collect();
            Mistake { error, cfgs }
        }));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` a mistake, in source order.
    pub(crate) fn into_tokens(mut self) -> TokenStream {
        self.0.sort_by_key(|mistake| position(mistake.error.span()));
        let each = self.0.iter().flat_map(|Mistake { error, cfgs }| {
            error.into_iter().map(move |error| cfgs.clone().into_iter().chain(error.to_compile_error()))
        });
        each.flatten().collect()
    }
}

/// Line and column; unknown outside of a compiler, where nothing is sorted.
fn position(span: Span) -> (usize, usize) {
    if proc_macro::is_available() {
        let start = span.unwrap().start();
        (start.line(), start.column())
    } else {
        (0, 0)
    }
}

/// `; did you mean …?`, or all that could have been meant.
pub(crate) fn remedy(wrong: &str, candidates: &[&str]) -> String {
    match nearest(wrong, candidates) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", list(candidates)),
    }
}

/// `a`, `b` and `c`.
pub(crate) fn list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The candidate that is nearest to `name`, if it is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).clamp(1, 4);
    candidates
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits between two words, two letters changing places being one; letter case and underscores do not count.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| -> Vec<char> {
        text.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect()
    };
    let (a, b) = (fold(a), fold(b));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{list, nearest};

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(nearest(name, &["title", "read_only", "message_endpoint", "port"]), expected, "{name}");
        };
        check("titel", Some("title"));
        check("readonly", Some("read_only"));
        check("readOnly", Some("read_only"));
        check("messageEndpoint", Some("message_endpoint"));
        check("prot", Some("port"));
        check("colour", None);
    }

    #[test]
    fn lists_read_like_prose() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["a"]), "`a`");
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
