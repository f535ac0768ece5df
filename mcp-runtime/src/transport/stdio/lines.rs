//! Bytes into lines, within a bound: what is too long is passed over without being kept.

/// The bytes that were read and are not yet lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Where the line that is being read begins.
    start: usize,
    /// How far the buffer was searched for an end.
    searched: usize,
    /// How far the buffer holds bytes that were read.
    filled: usize,
    limit: usize,
    /// The line that is being read is too long: it is skipped to its end.
    skipping: bool,
    /// A skipped line has not been told of yet.
    skipped: bool,
}

/// A line, without its end.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    TooLong,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, searched: 0, filled: 0, limit, skipping: false, skipped: false }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Room for at least `size` more bytes; say with [`Lines::filled`] how many of them came.
    pub(super) fn space(&mut self, size: usize) -> &mut [u8] {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.filled == 0 && self.buffer.len() > 16 * size {
            // One large line is no reason to keep its memory.
            self.buffer = Vec::new();
        }
        if self.buffer.len() - self.filled < size {
            // Doubling keeps the copying of a long line within bounds.
            let grown = (self.filled + size).max(self.buffer.len().saturating_mul(2));
            self.buffer.resize(grown.min(self.limit.saturating_add(size).max(self.filled + size)), 0);
        }
        &mut self.buffer[self.filled..]
    }

    pub(super) fn filled(&mut self, count: usize) {
        self.filled += count;
        self.search();
    }

    /// Whether a line is at hand.
    pub(super) fn has_line(&self) -> bool {
        self.skipped || self.searched < self.filled
    }

    /// Whether nothing is left, neither lines nor the beginning of one.
    pub(super) fn is_empty(&self) -> bool {
        !self.skipped && self.start == self.filled
    }

    /// The next line where it is whole, to be looked at before it is taken.
    pub(super) fn first(&self) -> Option<&[u8]> {
        (!self.skipped && self.searched < self.filled).then(|| self.buffer[self.start..self.searched].trim_ascii())
    }

    /// The next line that is not blank; at the end of the input, also one that has no end.
    pub(super) fn next(&mut self, ended: bool) -> Option<Line<'_>> {
        loop {
            if std::mem::take(&mut self.skipped) {
                return Some(Line::TooLong);
            }
            let (from, to) = if self.searched < self.filled {
                (self.start, self.searched)
            } else if ended && self.start < self.filled {
                (self.start, self.filled)
            } else {
                return None;
            };
            self.start = (to + 1).min(self.filled);
            self.searched = self.start;
            self.search();
            let line = self.buffer[from..to].trim_ascii();
            if line.is_empty() {
                continue;
            }
            if to - from > self.limit {
                return Some(Line::TooLong);
            }
            // Borrowed anew: the loop's borrow would last into the next round.
            return Some(Line::Whole(self.buffer[from..to].trim_ascii()));
        }
    }

    /// Moves `searched` to the next line's end, or to the end of what was read.
    fn search(&mut self) {
        loop {
            let end = memchr::memchr(b'\n', &self.buffer[self.searched..self.filled]);
            self.searched = end.map_or(self.filled, |end| self.searched + end);
            if self.skipping {
                self.start = self.searched;
                if end.is_none() {
                    return;
                }
                // The skipped line's own end.
                self.start += 1;
                self.searched += 1;
                self.skipping = false;
                continue;
            }
            if end.is_none() && self.filled - self.start > self.limit {
                self.skipping = true;
                self.skipped = true;
                self.start = self.filled;
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Line, Lines};

    /// The lines of `input`, read in pieces of the given sizes; `None` for one that is too long.
    fn read(input: &[u8], pieces: &[usize], limit: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::new(limit);
        let mut found = Vec::new();
        let mut take = |lines: &mut Lines, ended| {
            loop {
                let first = lines.first().map(<[u8]>::to_vec);
                let Some(line) = lines.next(ended) else { break };
                found.push(match line {
                    Line::Whole(line) => {
                        let is_foreseen = |first: &Vec<u8>| first.is_empty() || first == line;
                        assert!(first.as_ref().map_or(ended, is_foreseen), "what is looked at is what is taken");
                        Some(line.to_vec())
                    }
                    Line::TooLong => None,
                });
            }
        };
        let mut rest = input;
        let mut sizes = pieces.iter().copied().cycle();
        while !rest.is_empty() {
            let size = sizes.next().unwrap_or(1).clamp(1, rest.len());
            lines.space(size)[..size].copy_from_slice(&rest[..size]);
            lines.filled(size);
            assert!(lines.buffer.len() <= 2 * (limit + 2 * size) + 64, "the buffer is bounded");
            rest = &rest[size..];
            take(&mut lines, false);
        }
        take(&mut lines, true);
        assert!(lines.is_empty());
        found
    }

    #[test]
    fn lines_end_where_they_end() {
        let check = |input: &str, limit: usize, expected: &[Option<&str>]| {
            let expected: Vec<_> = expected.iter().map(|line| line.map(|line| line.as_bytes().to_vec())).collect();
            for pieces in [&[1][..], &[2, 3], &[1000]] {
                assert_eq!(read(input.as_bytes(), pieces, limit), expected, "{input:?} in pieces of {pieces:?}");
            }
        };
        check("", 10, &[]);
        check("a\nb\n", 10, &[Some("a"), Some("b")]);
        check("a\r\n\r\n \n\nb", 10, &[Some("a"), Some("b")]);
        check("12345\n123456\n1\n", 5, &[Some("12345"), None, Some("1")]);
        check("1234567890", 5, &[None]);
        check("1234567890\n\n1234567890\nab", 5, &[None, None, Some("ab")]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            lines in prop::collection::vec("[a-z]{0,30}", 0..20),
            pieces in prop::collection::vec(1usize..40, 1..10),
            limit in 1usize..30,
        ) {
            let input = lines.join("\n");
            let expected: Vec<_> = lines
                .iter()
                .filter(|line| !line.is_empty())
                .map(|line| (line.len() <= limit).then(|| line.as_bytes().to_vec()))
                .collect();
            prop_assert_eq!(read(input.as_bytes(), &pieces, limit), expected);
        }
    }
}
