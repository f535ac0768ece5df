//! Things of one kind: in order, by name, and as the pages of a list.

use std::{collections::HashMap, sync::Arc};

use super::PagesOfVersions;
use crate::server::error::Error;

/// Things of one kind, in order and by name, with their list as it is sent.
pub(super) struct Shelf<T> {
    pub(super) items: Arc<Vec<Arc<T>>>,
    index: Arc<HashMap<String, usize>>,
    /// The block or the module that each is from.
    parts: Arc<Vec<Option<&'static str>>>,
    pub(super) pages: Arc<PagesOfVersions>,
}

impl<T> Shelf<T> {
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.index.get(name).map(|index| &*self.items[*index])
    }

    pub(super) fn insert(
        &mut self,
        kind: &'static str,
        name: String,
        part: Option<&'static str>,
        item: T,
        errors: &mut Vec<Error>,
    ) {
        if let Some(first) = self.index.get(&name) {
            return errors.push(Error::Duplicate { kind, name, parts: [self.parts[*first], part] });
        }
        Arc::make_mut(&mut self.index).insert(name, self.items.len());
        Arc::make_mut(&mut self.items).push(Arc::new(item));
        Arc::make_mut(&mut self.parts).push(part);
        self.pages = Arc::default();
    }

    /// Takes out what has that name; false where nothing has. The others keep their order.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let Some(removed) = Arc::make_mut(&mut self.index).remove(name) else { return false };
        for index in Arc::make_mut(&mut self.index).values_mut().filter(|index| **index > removed) {
            *index -= 1;
        }
        Arc::make_mut(&mut self.items).remove(removed);
        Arc::make_mut(&mut self.parts).remove(removed);
        self.pages = Arc::default();
        true
    }
}

impl<T> Clone for Shelf<T> {
    fn clone(&self) -> Self {
        let Self { items, index, parts, pages } = self;
        Self { items: Arc::clone(items), index: Arc::clone(index), parts: Arc::clone(parts), pages: Arc::clone(pages) }
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { items: Arc::default(), index: Arc::default(), parts: Arc::default(), pages: Arc::default() }
    }
}
