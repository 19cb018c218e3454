//! What the banks want to say, and what the test makes of it: repeat, reorder, lose, forge.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::route::Dialect;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Json(Value),
    /// A form of one field, as Cobranças posts it.
    Form(Vec<(String, String)>),
}

#[derive(Debug, Clone)]
pub struct Notice {
    pub number: usize,
    pub dialect: Dialect,
    pub kind: String,
    pub url: String,
    pub content: Content,
    pub tries: Vec<String>,
    pub fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Waiting,
    Delivered,
    GivenUp,
    Lost,
}

/// How many notices lose their way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loss {
    #[default]
    None,
    Next(u32),
    All,
}

#[derive(Debug, Default)]
pub struct Notices {
    all: Vec<Notice>,
    /// The number of the first; those before it were forgotten while some were on their way.
    first: usize,
    /// Numbers of those to deliver, in order.
    pub queue: VecDeque<usize>,
    /// Numbers that wait for their release, and how many there shall be.
    held: Vec<usize>,
    pub hold: bool,
    pub reorder: usize,
    pub repeat: usize,
    pub loss: Loss,
    /// Deliveries and retries that are under way.
    pub busy: usize,
}

impl Notices {
    pub fn emit(&mut self, dialect: Dialect, kind: &str, url: &str, content: &Content) {
        let is_lost = match &mut self.loss {
            Loss::None => false,
            Loss::All => true,
            Loss::Next(count) => {
                *count -= 1;
                if *count == 0 {
                    self.loss = Loss::None;
                }
                true
            }
        };
        let copies = if is_lost { 1 } else { self.repeat.max(1) };
        for _ in 0..copies {
            let number = self.add(dialect, kind, url.to_owned(), content.clone());
            if is_lost {
                self.end(number, Fate::Lost);
            } else if self.hold || self.reorder > 0 {
                self.held.push(number);
            } else {
                self.queue.push_back(number);
            }
        }
        if self.reorder > 0 && self.held.len() >= self.reorder {
            self.reorder = 0;
            self.release(true);
        }
    }

    /// Sends what was held, the last first if it shall be reversed.
    pub fn release(&mut self, reversed: bool) -> usize {
        self.hold = false;
        if reversed {
            self.held.reverse();
        }
        let count = self.held.len();
        self.queue.extend(self.held.drain(..));
        count
    }

    /// Sends the last so many once more.
    pub fn again(&mut self, count: usize) -> usize {
        let sent = |notice: &&Notice| notice.fate != Fate::Lost;
        let mut last: Vec<Notice> =
            self.all.iter().rev().filter(sent).take(count).cloned().collect();
        last.reverse();
        let count = last.len();
        for notice in last {
            let number = self.add(notice.dialect, &notice.kind, notice.url, notice.content);
            self.queue.push_back(number);
        }
        count
    }

    /// Begins again with numbers that no notice on its way has.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self { first: self.first + self.all.len(), ..Self::default() }
    }

    pub fn get(&self, number: usize) -> Option<&Notice> {
        self.all.get(number.checked_sub(self.first)?)
    }

    pub fn tried(&mut self, number: usize, result: String) {
        if let Some(notice) = self.get_mut(number) {
            notice.tries.push(result);
        }
    }

    pub fn end(&mut self, number: usize, fate: Fate) {
        if let Some(notice) = self.get_mut(number) {
            notice.fate = fate;
        }
    }

    pub fn is_settled(&self) -> bool {
        self.queue.is_empty() && self.busy == 0
    }

    pub fn json(&self) -> Value {
        let notices = self.all.iter().map(|notice| {
            let (body, form) = match &notice.content {
                Content::Json(value) => (value.clone(), Value::Null),
                Content::Form(fields) => (Value::Null, json!(fields)),
            };
            json!({
                "number": notice.number,
                "dialect": notice.dialect,
                "kind": notice.kind,
                "url": notice.url,
                "body": body,
                "form": form,
                "tries": notice.tries,
                "fate": match notice.fate {
                    Fate::Waiting => "waiting",
                    Fate::Delivered => "delivered",
                    Fate::GivenUp => "given_up",
                    Fate::Lost => "lost",
                },
            })
        });
        notices.collect()
    }

    fn add(&mut self, dialect: Dialect, kind: &str, url: String, content: Content) -> usize {
        let number = self.first + self.all.len();
        let kind = kind.to_owned();
        let (tries, fate) = (Vec::new(), Fate::Waiting);
        self.all.push(Notice { number, dialect, kind, url, content, tries, fate });
        number
    }

    fn get_mut(&mut self, number: usize) -> Option<&mut Notice> {
        self.all.get_mut(number.checked_sub(self.first)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Content, Fate, Loss, Notices};
    use crate::route::Dialect;

    fn emit(notices: &mut Notices, kind: &str) {
        let content = Content::Json(json!({}));
        notices.emit(Dialect::Efi, kind, "http://127.0.0.1:1/", &content);
    }

    fn queued(notices: &Notices) -> Vec<&str> {
        notices.queue.iter().map(|number| notices.all[*number].kind.as_str()).collect()
    }

    #[test]
    fn notices_are_repeated_reordered_and_lost() {
        let mut notices = Notices { repeat: 2, ..Notices::default() };
        emit(&mut notices, "a");
        notices.repeat = 1;
        notices.loss = Loss::Next(1);
        emit(&mut notices, "b");
        notices.reorder = 2;
        emit(&mut notices, "c");
        assert_eq!(queued(&notices), ["a", "a"]);
        emit(&mut notices, "d");
        emit(&mut notices, "e");

        assert_eq!(queued(&notices), ["a", "a", "d", "c", "e"]);
        assert_eq!(notices.all[2].fate, Fate::Lost);
    }

    #[test]
    fn what_is_held_waits_for_its_release_and_the_last_can_be_sent_again() {
        let mut notices = Notices { hold: true, ..Notices::default() };
        emit(&mut notices, "a");
        emit(&mut notices, "b");
        assert!(notices.is_settled());
        assert_eq!(notices.release(true), 2);
        assert_eq!(notices.again(1), 1);

        assert_eq!(queued(&notices), ["b", "a", "b"]);
    }

    #[test]
    fn a_notice_on_its_way_when_all_is_forgotten_is_not_taken_for_a_later_one() {
        let mut notices = Notices::default();
        emit(&mut notices, "a");
        let mut notices = notices.fresh();
        emit(&mut notices, "b");

        notices.end(0, Fate::GivenUp);

        assert!(notices.get(0).is_none());
        assert_eq!(notices.get(1).unwrap().fate, Fate::Waiting);
    }
}
