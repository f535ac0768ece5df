//! The names that the parts of a server take, compared while the compiler runs.

/// What a part is called, and the names of all that it offers, as far as the compiler knows them.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The type, the module or the function, as people know it.
    pub(crate) part: &'static str,
    pub(crate) tools: &'static [&'static str],
    pub(crate) resources: &'static [&'static str],
    pub(crate) uris: &'static [&'static str],
    pub(crate) prompts: &'static [&'static str],
    /// Those of a tuple.
    pub(crate) members: &'static [&'static Self],
}

impl Names {
    /// Names that only the start of the server knows.
    pub const UNKNOWN: &'static Self = &Self::of("");

    /// A part that is known so, and offers nothing yet.
    #[must_use]
    pub const fn of(part: &'static str) -> Self {
        Self { part, tools: &[], resources: &[], uris: &[], prompts: &[], members: &[] }
    }

    /// With tools of these names.
    #[must_use]
    pub const fn tools(mut self, names: &'static [&'static str]) -> Self {
        self.tools = names;
        self
    }

    /// With resources of these names, at these URIs.
    #[must_use]
    pub const fn resources(mut self, names: &'static [&'static str], uris: &'static [&'static str]) -> Self {
        self.resources = names;
        self.uris = uris;
        self
    }

    /// With prompts of these names.
    #[must_use]
    pub const fn prompts(mut self, names: &'static [&'static str]) -> Self {
        self.prompts = names;
        self
    }

    /// Whether no two members take one name.
    ///
    /// # Panics
    /// When two do; in a constant, that is an error of the compiler, which names both.
    #[track_caller]
    pub const fn check(&self) {
        let mut second = 0;
        while second < self.members.len() {
            let mut first = 0;
            while first < second {
                check_pair(self.members[first], self.members[second]);
                first += 1;
            }
            self.members[second].check();
            second += 1;
        }
    }
}

#[track_caller]
const fn check_pair(first: &Names, second: &Names) {
    let mut index = 0;
    while index < first.members.len() {
        check_pair(first.members[index], second);
        index += 1;
    }
    let mut index = 0;
    while index < second.members.len() {
        check_pair(first, second.members[index]);
        index += 1;
    }
    check_names("tools are named", first.tools, second.tools, first.part, second.part);
    check_names("resources are named", first.resources, second.resources, first.part, second.part);
    check_names(AT_ONE_URI, first.uris, second.uris, first.part, second.part);
    check_names("prompts are named", first.prompts, second.prompts, first.part, second.part);
}

const AT_ONE_URI: &str = "resources have the URI";

#[track_caller]
const fn check_names(are: &str, first: &[&str], second: &[&str], of_first: &str, of_second: &str) {
    let mut i = 0;
    while i < first.len() {
        let mut j = 0;
        while j < second.len() {
            if is_same(first[i], second[j]) {
                // The letters tell the two from each other; a name that stays has no prefix.
                let remedy = if is_same(are, AT_ONE_URI) {
                    "give one another URI"
                } else {
                    "rename one (`name = \"…\"`), or mount it by itself, with `mount_at`"
                };
                let message = Message::new().push("two ").push(are).push(" `").push(first[i]).push("`");
                let message = if is_same(of_first, of_second) {
                    message.push(", both from ").push(of_first)
                } else {
                    message.push(": one from ").push(of_first).push(", one from ").push(of_second)
                };
                panic!("{}", message.push("; ").push(remedy).text());
            }
            j += 1;
        }
        i += 1;
    }
}

const fn is_same(first: &str, second: &str) -> bool {
    let (first, second) = (first.as_bytes(), second.as_bytes());
    if first.len() != second.len() {
        return false;
    }
    let mut index = 0;
    while index < first.len() {
        if first[index] != second[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// A text that is put together by the compiler. What would be too much is left out.
struct Message {
    bytes: [u8; 1024],
    length: usize,
}

impl Message {
    const fn new() -> Self {
        Self { bytes: [0; 1024], length: 0 }
    }

    const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.length + text.len() <= self.bytes.len() {
            let mut index = 0;
            while index < text.len() {
                self.bytes[self.length + index] = text[index];
                index += 1;
            }
            self.length += text.len();
        }
        self
    }

    const fn text(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "two parts take one name",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::Names;

    const fn together(members: &'static [&'static Names]) -> Names {
        Names { members, ..Names::of("") }
    }

    #[test]
    fn names_that_collide_are_told_with_both_parts() {
        const CALC: &Names = &Names::of("`calc`").tools(&["add", "neg"]).prompts(&["add"]);
        const SUMS: &Names = &Names::of("`sums`").tools(&["sum", "add"]);
        const TEXT: &Names = &Names::of("`text`").resources(&["add", "pi"], &["text://add", "text://pi"]);
        const MORE: &Names = &Names::of("`more`").resources(&["other"], &["text://pi"]);
        const BOTH: &Names = &together(&[TEXT, CALC]);
        const NESTED: &Names = &together(&[MORE, TEXT]);
        let check = |members: &'static [&'static Names], expected: Option<&str>| {
            let told = catch_unwind(|| together(members).check()).err();
            let told = told.map(|told| told.downcast_ref::<String>().unwrap().clone());
            assert_eq!(told.as_deref(), expected);
        };
        let told_of_uri =
            "two resources have the URI `text://pi`: one from `more`, one from `text`; give one another URI";
        const REMEDY: &str = "rename one (`name = \"…\"`), or mount it by itself, with `mount_at`";
        check(&[], None);
        check(&[CALC, TEXT, Names::UNKNOWN], None);
        check(&[BOTH, Names::UNKNOWN], None);
        check(&[Names::UNKNOWN, NESTED], Some(told_of_uri));
        let told = format!("two tools are named `add`: one from `calc`, one from `sums`; {REMEDY}");
        check(&[CALC, SUMS], Some(&told));
        check(&[TEXT, BOTH], Some(&format!("two resources are named `add`, both from `text`; {REMEDY}")));
        check(&[Names::UNKNOWN, BOTH, SUMS], Some(&told));
        check(&[MORE, BOTH], Some(told_of_uri));
    }
}
