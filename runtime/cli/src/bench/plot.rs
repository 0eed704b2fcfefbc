//! The plot of a bench: time over size of each kernel, for both finalizers.

use plotters::prelude::*;

use super::{Row, Side};

/// Size of the plot in points.
const PLOT: (u32, u32) = (900, 500);
/// Radius of a point.
const RADIUS: i32 = 2;

/// Draws seconds over instructions on logarithmic scales.
///
/// # Errors
/// Errors of the plotting library, none of which is known to occur.
pub fn svg(rows: &[Row]) -> Result<String, Box<dyn std::error::Error>> {
    let point = |side: &Side| {
        let figures = side.figures?;
        Some((figures.instructions.max(1) as f64, side.seconds.max(1e-6)))
    };
    let ours: Vec<(f64, f64)> = rows.iter().filter_map(|row| point(&row.ours)).collect();
    let reference = rows.iter().filter_map(|row| point(row.reference.as_ref()?));
    let reference: Vec<(f64, f64)> = reference.collect();
    let all = || ours.iter().chain(&reference);
    let range = |of: fn(&(f64, f64)) -> f64| {
        let least = all().map(of).fold(f64::INFINITY, f64::min);
        let most = all().map(of).fold(0.0, f64::max);
        match least <= most {
            true => least / 1.5..most * 1.5,
            false => 1.0..10.0,
        }
    };
    let mut out = String::new();
    {
        let area = SVGBackend::with_string(&mut out, PLOT).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(range(|p| p.0).log_scale(), range(|p| p.1).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("instructions")
            .y_desc("seconds")
            .draw()?;
        for (points, colour, name) in [(ours, BLUE, "ours"), (reference, RED, "reference")] {
            let dots = points
                .into_iter()
                .map(|at| Circle::new(at, RADIUS, colour.filled()));
            chart
                .draw_series(dots)?
                .label(name)
                .legend(move |at| Circle::new(at, RADIUS + 1, colour.filled()));
        }
        chart.configure_series_labels().border_style(BLACK).draw()?;
        area.present()?;
    }
    Ok(out)
}
