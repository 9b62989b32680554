/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.Actor;
import java.util.function.BooleanSupplier;

/**
 * A caller whose token or session was found.
 *
 * @param kind whether it is a user or a token
 * @param isStillValid whether that token or session still exists and gives the same rights; it
 *     keeps neither and never waits
 */
public record Admitted(Actor.Kind kind, TokenOwner caller, BooleanSupplier isStillValid) {}
