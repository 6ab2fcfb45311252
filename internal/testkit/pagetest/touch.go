package pagetest

import (
	"context"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// At is a point of the window, in pixels.
type At struct{ X, Y float64 }

// Move moves fingers, each from one point to another in ten steps, all at once.
func (w *Window) Move(from, to []At) {
	w.Helper()
	const steps = 10
	send := func(kind input.DispatchTouchEventType, share float64) {
		var points []*input.TouchPoint
		for i := range from {
			if kind == input.DispatchTouchEventTypeTouchEnd {
				break
			}
			id := float64(i)
			points = append(points, &input.TouchPoint{ID: &id,
				X: from[i].X + share*(to[i].X-from[i].X), Y: from[i].Y + share*(to[i].Y-from[i].Y)})
		}
		w.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)})
			return err
		}))
	}
	send(input.DispatchTouchEventTypeTouchStart, 0)
	for k := range steps {
		send(input.DispatchTouchEventTypeTouchMove, float64(k+1)/steps)
	}
	send(input.DispatchTouchEventTypeTouchEnd, 1)
}
