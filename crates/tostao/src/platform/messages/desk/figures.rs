//! Figures, and the lists that they are the sums of.

use crate::platform::messages::Lang;

messages! { FIGURES:
    figure_sold => "Vendido", "Sold";
    figure_refunded => "Devolvido no período", "Refunded in the period";
    figure_charged_back => "Perdido em disputas", "Lost in disputes";
    figure_fees => "Tarifas das vendas", "Fees of sales";
    figure_30_days => "em 30 dias", "in 30 days";
    figure_pix_paid => "PIX pagos dos emitidos", "PIX paid of those issued";
    figure_of(paid, issued) => "{paid} de {issued}", "{paid} of {issued}";
    figure_chart => "Vendas por dia", "Sales by day";
    figure_day => "Dia", "Day";
    figure_about => "Sobre", "About";
    figure_sum => "Soma de todas as páginas", "Sum of all pages";
    figure_no_entry => "Nenhum lançamento neste período.", "No entry in this period.";
}
