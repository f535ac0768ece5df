//! Doc comments as descriptions.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Expr, Lit, Meta};

/// An expression of type `&'static str`: a literal, or what a macro or a constant makes.
#[derive(Clone)]
pub(crate) struct Text(TokenStream);

impl Text {
    pub(crate) fn literal(text: impl ToTokens) -> Self {
        Self(text.into_token_stream())
    }

    pub(crate) fn expression(expr: &Expr) -> Self {
        Self(expr.to_token_stream())
    }

    /// The text of the doc comments among `attrs`, without the blanks that comments begin with.
    pub(crate) fn from_docs(attrs: &[Attribute]) -> Option<Self> {
        let docs: Vec<_> = attrs.iter().filter_map(doc).collect();
        let literals: Option<Vec<_>> = docs.iter().map(|doc| literal(doc)).collect();
        match literals {
            Some(lines) => Some(plain(&lines)).filter(|text| !text.is_empty()).map(|text| Self::literal(&text)),
            // `#[doc = include_str!("…")]`: only the compiler knows the text.
            None => {
                let span = Span::mixed_site();
                Some(Self(quote_spanned!(span=> ::core::concat!(#(#docs, "\n"),*))))
            }
        }
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

fn doc(attr: &Attribute) -> Option<&Expr> {
    match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => Some(&meta.value),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Group(group) => literal(&group.expr),
        Expr::Lit(expr) => match &expr.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Lines without the indentation that all share, and without blank ones around them.
fn plain(docs: &[String]) -> String {
    let lines: Vec<&str> = docs.iter().flat_map(|doc| lines_of(doc)).collect();
    let shared = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or_default()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// One line of `///`, or the lines of `/** … */` without their stars.
fn lines_of(doc: &str) -> Vec<&str> {
    if !doc.contains('\n') {
        return vec![doc.trim_end()];
    }
    let lines = || doc.lines().map(str::trim_end);
    // Stars are a margin where every line has one; else they are those of a list.
    let margin = |line: &&str| line.is_empty() || line.trim_start().starts_with('*');
    // The first line stands behind `/**`.
    if !lines().skip(1).all(|line| margin(&line)) {
        return lines().collect();
    }
    lines().map(|line| line.trim_start().strip_prefix('*').unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use syn::{ItemFn, parse_str};

    use super::*;

    #[test]
    fn doc_comments_become_text() {
        let check = |docs: &str, expected: Option<&str>| {
            let item: ItemFn = parse_str(&format!("{docs}\nfn f() {{}}")).unwrap();
            let text = Text::from_docs(&item.attrs).map(|text| text.0.to_string());
            assert_eq!(text, expected.map(|text| format!("{text:?}")), "{docs}");
        };
        check("", None);
        check("///", None);
        check("/// Adds.", Some("Adds."));
        check("///Adds.", Some("Adds."));
        check("/// Adds.\n///\n///     code\n///", Some("Adds.\n\n    code"));
        check("/** Adds. */", Some("Adds."));
        check("/**\n * Adds.\n * Twice.\n */", Some("Adds.\nTwice."));
        check("/** Adds.\n * Twice.\n */", Some("Adds.\nTwice."));
        check("/**\n    Adds:\n    * one\n      * half\n*/", Some("Adds:\n* one\n  * half"));
        check("#[doc = \"Adds.\"]", Some("Adds."));
    }
}
