//! The nearest name there is, for messages that say how to mend a misspelt one.

/// How much of a client's text a message repeats, in bytes.
const EXCERPT: usize = 64;

/// The candidate that is nearest to `name`, if it is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = excerpt(name);
    let length = name.chars().count();
    let allowed = (length / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, allowed), candidate))
        // With every letter changed nothing is left of the name.
        .filter(|(distance, _)| *distance <= allowed && *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The beginning of a client's text: messages repeat no more of it than helps.
pub(crate) fn excerpt(text: &str) -> &str {
    match text.char_indices().map(|(index, _)| index).find(|index| *index >= EXCERPT) {
        Some(end) => &text[..end],
        None => text,
    }
}

/// Edits between two words, two letters changing places being one; letter case, `-` and `_` do not count.
fn distance(a: &str, b: &str, allowed: usize) -> usize {
    let (a, b) = (folded(a), folded(b));
    if a.is_empty() || a.len().abs_diff(b.len()) > allowed {
        return usize::MAX;
    }
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

fn folded(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{excerpt, nearest};

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let check = |name: &str, expected: Option<&str>| {
            let candidates = ["add", "forecast", "message_endpoint", "port"];
            assert_eq!(nearest(name, candidates.into_iter()), expected, "{name}");
        };
        check("ad", Some("add"));
        check("ADD", Some("add"));
        check("forcast", Some("forecast"));
        check("forceast", Some("forecast"));
        check("message-endpoint", Some("message_endpoint"));
        check("prot", Some("port"));
        check("subtract", None);
        check("", None);
        assert_eq!(nearest("b", ["a", "x"]), None);
        assert_eq!(nearest("B", ["a", "b"]), Some("b"));
    }

    #[test]
    fn an_excerpt_ends_between_characters() {
        assert_eq!(excerpt("short"), "short");
        let long = "é".repeat(100);
        assert_eq!(excerpt(&long).len(), 64);
    }
}
