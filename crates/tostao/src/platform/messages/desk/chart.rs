//! Words around a chart.

use crate::platform::messages::Lang;

messages! { CHART:
    chart_table => "Tabela", "Table";
}
