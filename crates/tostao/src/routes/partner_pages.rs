//! The URLs of the pages of affiliates and of referrals.

use axum::Router;
use axum::routing::{get, post};

use crate::affiliates::programs::ListedProgram;
use crate::app::App;
use crate::dashboard;
use crate::dashboard::deletion_pages as deletion;
use crate::dashboard::form_pages::{create, edit, new, save};

/// The pages of affiliate programs, of commissions and of own links.
pub fn affiliate_pages() -> Router<App> {
    use dashboard::affiliates::form::ProgramForm as Program;
    use dashboard::affiliates::{
        commission_pages as commissions, link_pages as link, list_pages as list,
        market_pages as market, mine_pages as mine, program_pages as program,
    };
    Router::new()
        .route("/dashboard/{mode}/affiliates", get(list::show))
        .route(
            "/dashboard/{mode}/affiliates/programs/new",
            get(new::<Program>).post(create::<Program>),
        )
        .route("/dashboard/{mode}/affiliates/programs/{id}", get(program::show))
        .route(
            "/dashboard/{mode}/affiliates/programs/{id}/edit",
            get(edit::<Program>).post(save::<Program>),
        )
        .route("/dashboard/{mode}/affiliates/programs/{id}/switch", post(program::switch))
        .route(
            "/dashboard/{mode}/affiliates/programs/{id}/delete",
            get(deletion::show::<ListedProgram>).post(deletion::delete::<ListedProgram>),
        )
        .route(
            "/dashboard/{mode}/affiliates/programs/{id}/commissions",
            get(commissions::of_program),
        )
        .route(
            "/dashboard/{mode}/affiliates/programs/{id}/commissions/export",
            get(commissions::export_of_program),
        )
        .route("/dashboard/{mode}/affiliates/links/{id}/switch", post(link::switch))
        .route("/dashboard/{mode}/affiliates/marketplace", get(market::show))
        .route("/dashboard/{mode}/affiliates/marketplace/{id}", get(market::open))
        .route("/dashboard/{mode}/affiliates/marketplace/{id}/join", post(market::join))
        .route("/dashboard/{mode}/affiliates/mine", get(mine::show))
        .route("/dashboard/{mode}/affiliates/mine/commissions", get(commissions::own))
        .route("/dashboard/{mode}/affiliates/mine/commissions/export", get(commissions::export_own))
        .route("/dashboard/{mode}/affiliates/mine/links/{id}", get(mine::link))
}

/// The pages of referrals and their rewards.
pub fn referral_pages() -> Router<App> {
    use dashboard::referrals::{
        code_pages as code, invited_pages as invited, moved_pages as moved,
        reward_pages as rewards, withdraw_form::WithdrawForm as Reward,
    };
    use dashboard::review_pages::{confirm, review, show};
    Router::new()
        .route("/dashboard/{mode}/referrals", get(invited::show))
        .route("/dashboard/{mode}/referrals/code", post(code::make))
        .route("/dashboard/{mode}/referrals/rewards", get(rewards::show))
        .route("/dashboard/{mode}/referrals/withdrawals", get(moved::show))
        .route("/dashboard/{mode}/referrals/withdraw", get(show::<Reward>).post(review::<Reward>))
        .route("/dashboard/{mode}/referrals/withdraw/confirm", post(confirm::<Reward>))
}
